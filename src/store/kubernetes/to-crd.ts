import { z } from 'zod';
import type { AnyResourceKind } from '../../rules/resource.ts';
import { toStructuralSchema, type Schema } from './structural-schema.ts';

/** Generates the CustomResourceDefinition of a kind from the schemas that the service validates with. */
export function toCrd(kind: AnyResourceKind) {
  const [group = '', version = ''] = kind.apiVersion.split('/');
  const { shortNames = [], printerColumns = [], validations = [] } = kind.crd;
  const spec = withDefaults(toSchema(kind.specSchema), kind.crd.defaults);
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
        // "service" is the name of a built-in Kubernetes kind.
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
            ...printerColumns.map(({ name, path, type = 'string', wide }) => ({
              name,
              jsonPath: path,
              type,
              ...(wide && { priority: 1 }),
            })),
            { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
          ],
          ...(kind.selectableFields && {
            selectableFields: kind.selectableFields.map((path) => ({ jsonPath: `.${path}` })),
          }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  ...spec,
                  ...(validations.length > 0 && {
                    'x-kubernetes-validations': [...(spec['x-kubernetes-validations'] ?? []), ...validations],
                  }),
                },
                status: toSchema(kind.statusSchema),
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

function toSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return toStructuralSchema(written as Schema);
}
