export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

export const refName = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);

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

function simpleType({ const: constant, enum: values, type = 'any', format }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  return [type].flat().join(' | ') + (format ? ` (${format})` : '');
}

/** Formats the limits, the pattern and the default of a value, or an empty text without any. */
export function toConstraintText(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format, default: preset } = schema;
  return [
    toRange(minLength, maxLength, ' characters'),
    toRange(minimum, maximum, ''),
    toRange(minItems, maxItems, ' items'),
    // zod adds a very long pattern that only repeats the format.
    ...(pattern !== undefined && format === undefined ? [`matches ${pattern}`] : []),
    ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function toRange(least: number | undefined, most: number | undefined, unit: string): string {
  const isBounded = most !== undefined && most !== Number.MAX_SAFE_INTEGER;
  const isFromBelow = least !== undefined && least !== -Number.MAX_SAFE_INTEGER;
  if (isFromBelow && isBounded) return `${least} to ${most}${unit}`;
  if (isBounded) return `at most ${most}${unit}`;
  return isFromBelow ? `at least ${least}${unit}` : '';
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    const notes = [property.description ?? '', toConstraintText(property)].filter((text) => text !== '');
    const comment = notes.length > 0 ? `   — ${notes.join(' ')}` : '';
    return `${inner}${name}${optional}: ${toTypeText(property, inner)}${comment}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}
