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

/** Formats a schema like a TypeScript type; `@Name` refers to another schema. */
export function toTypeText(schema: Schema, indent = ''): string {
  const name = refName(schema);
  if (name !== undefined) return `@${name}`;
  const parts = (list: Schema[], sign: string): string => list.map((part) => toTypeText(part, indent)).join(sign);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return parts(choices, ' | ');
  if (schema.allOf) return parts(schema.allOf, ' & ');
  if (schema.properties) return objectType(schema, indent);
  if (schema.items) return `list of ${toTypeText(schema.items, indent)}`;
  if (typeof schema.additionalProperties === 'object')
    return `map of ${toTypeText(schema.additionalProperties, indent)}`;
  return simpleType(schema);
}

function simpleType({ const: constant, enum: values, type, format }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  return [type].flat().join(' | ') + (format ? ` (${format})` : '');
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    const comment = property.description ? `   — ${property.description}` : '';
    return `${inner}${name}${optional}: ${toTypeText(property, inner)}${comment}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Creates an example value with the required properties of the schema. */
export function toExample(schema: Schema, schemas: Record<string, Schema>): unknown {
  const inner = schemas[refName(schema) ?? ''] ?? (schema.anyOf ?? schema.oneOf)?.[0];
  if (inner) return toExample(inner, schemas);
  if (schema.properties) {
    const required = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(required.map(([name, property]) => [name, toExample(property, schemas)]));
  }
  return schema.items ? [toExample(schema.items, schemas)] : simpleExample(schema);
}

const examples: Record<string, unknown> = { boolean: true, integer: 1, number: 1, object: {} };

function simpleExample({ const: constant, enum: values, type }: Schema): unknown {
  return constant ?? values?.[0] ?? examples[[type].flat()[0] ?? ''] ?? '…';
}
