export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

const refName = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);

/** A schema as people write types; `@Name` is another schema. */
export function typeOf(schema: Schema, indent = ''): string {
  const name = refName(schema);
  if (name !== undefined) return `@${name}`;
  const parts = (list: Schema[], sign: string): string => list.map((part) => typeOf(part, indent)).join(sign);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return parts(choices, ' | ');
  if (schema.allOf) return parts(schema.allOf, ' & ');
  if (schema.properties) return objectType(schema, indent);
  if (schema.items) return `list of ${typeOf(schema.items, indent)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties, indent)}`;
  return simpleType(schema);
}

function simpleType({ const: only, enum: values, type, format }: Schema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  return [type].flat().join(' | ') + (format ? ` (${format})` : '');
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    const remark = property.description ? `   — ${property.description}` : '';
    return `${inner}${name}${optional}: ${typeOf(property, inner)}${remark}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** A body that has the schema's shape, with what must be there. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const inner = schemas[refName(schema) ?? ''] ?? (schema.anyOf ?? schema.oneOf)?.[0];
  if (inner) return exampleOf(inner, schemas);
  if (schema.properties) {
    const needed = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(needed.map(([name, property]) => [name, exampleOf(property, schemas)]));
  }
  return schema.items ? [exampleOf(schema.items, schemas)] : simpleExample(schema);
}

const examples: Record<string, unknown> = { boolean: true, integer: 1, number: 1, object: {} };

function simpleExample({ const: only, enum: values, type }: Schema): unknown {
  return only ?? values?.[0] ?? examples[[type].flat()[0] ?? ''] ?? '…';
}
