import { exampleValues } from './example-values.ts';
import { refName, type Schema } from './schema-text.ts';

type ExampleContext = {
  schemas: Record<string, Schema>;
  /** The name of the property or parameter, and the component that it belongs to. */
  name?: string;
  owner?: string;
};

/** Creates an example value: required properties, and those optional ones that have an example in their component. */
export function toExample(schema: Schema, context: ExampleContext): unknown {
  const known = findExample(schema, context);
  if (known !== undefined) return known;
  const name = refName(schema);
  const referenced = context.schemas[name ?? ''];
  if (referenced) return toExample(referenced, { ...context, owner: name ?? '' });
  const choice = (schema.anyOf ?? schema.oneOf)?.[0];
  if (choice) return toExample(choice, context);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => toExample(part, context)));
  if (schema.properties) return toObjectExample(schema, context);
  if (schema.items) return [toExample(schema.items, { ...context, name: singular(context.name ?? '') })];
  return toSimpleExample(schema, context.name);
}

function toObjectExample({ properties = {}, required = [] }: Schema, context: ExampleContext): object {
  const { owner, schemas } = context;
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || exampleValues[`${owner}.${name}`] !== undefined,
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [
      name,
      toExample(property, { schemas, name, ...(owner !== undefined && { owner }) }),
    ]),
  );
}

function findExample(schema: Schema, { name, owner }: ExampleContext): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  const known = exampleValues[`${owner}.${name}`] ?? exampleValues[name ?? ''];
  if (known !== undefined && isAllowed(schema, known)) return known;
  return schema.enum?.[0] ?? schema.default;
}

const isAllowed = ({ enum: values, type, properties, items, $ref }: Schema, value: unknown): boolean => {
  if (values) return values.includes(value);
  if (Array.isArray(value)) return items !== undefined;
  if (typeof value === 'object') return properties !== undefined || $ref !== undefined || type === 'object';
  const types = [type].flat();
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes(typeof value);
};

const singular = (name: string): string => name.replace(/(ss|us)es$|s$/, '$1');

const byFormat: Record<string, unknown> = {
  'date-time': '2026-12-01T09:30:00Z',
  date: '2026-12-01',
  email: 'ada@example.com',
  uri: 'https://hello-prod.apps.example.com',
};
const byType: Record<string, unknown> = { boolean: true, integer: 1, number: 1, object: {} };

function toSimpleExample({ type, format, minimum }: Schema, name = ''): unknown {
  if (/At$|^at$|^since$|^until$|Time$/.test(name)) return byFormat['date-time'];
  return (
    byFormat[format ?? ''] ?? (minimum !== undefined && minimum > 1 ? minimum : byType[[type].flat()[0] ?? '']) ?? name
  );
}
