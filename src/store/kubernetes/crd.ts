import { z } from 'zod';
import type { AnyResourceKind } from '../../rules/resource.ts';
import { structural, type Schema } from './structural.ts';

/** The CustomResourceDefinition of one of our kinds, from the schemas that the service itself checks by. */
export function crdOf(kind: AnyResourceKind) {
  const [group = '', version = ''] = kind.apiVersion.split('/');
  const { shortNames = [], columns = [], rules = [] } = kind.kubectl;
  const spec = withDefaults(schemaOf(kind.specSchema), kind.kubectl.defaults);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        // Not "service": that is what Kubernetes calls its own Services.
        categories: ['platform'],
        ...(shortNames.length > 0 && { shortNames }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            ...columns.map(({ name, path, type = 'string', wide }) => ({
              name,
              jsonPath: path,
              type,
              ...(wide && { priority: 1 }),
            })),
            { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
          ],
          ...(kind.selectable && {
            selectableFields: kind.selectable.map((path) => ({ jsonPath: `.${path}` })),
          }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  ...spec,
                  ...(rules.length > 0 && {
                    'x-kubernetes-validations': [...(spec['x-kubernetes-validations'] ?? []), ...rules],
                  }),
                },
                status: schemaOf(kind.statusSchema),
              },
            },
          },
        },
      ],
    },
  };
}

function withDefaults(
  { properties = {}, required, ...schema }: Schema,
  defaults: Record<string, unknown> = {},
): Schema {
  const filledIn = Object.entries(defaults).map(([key, value]) => [key, { ...properties[key], default: value }]);
  const stillRequired = required?.filter((key) => !(key in defaults)) ?? [];
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(filledIn) },
    ...(stillRequired.length > 0 && { required: stillRequired }),
  };
}

function schemaOf(schema: z.ZodType): Schema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return structural(written as Schema);
}
