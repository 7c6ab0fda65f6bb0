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
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => typeOf(choice, indent)).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(' & ');
  if (schema.properties) return objectType(schema, indent);
  if (schema.items) return `list of ${typeOf(schema.items, indent)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties, indent)}`;
  return [schema.type].flat().join(' | ') + (schema.format ? ` (${schema.format})` : '');
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
  const name = refName(schema);
  if (name !== undefined) return exampleOf(schemas[name] ?? {}, schemas);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (schema.anyOf ?? schema.oneOf)?.[0];
  if (choice) return exampleOf(choice, schemas);
  if (schema.properties) {
    const needed = Object.entries(schema.properties).filter(([property]) => schema.required?.includes(property));
    return Object.fromEntries(needed.map(([property, inner]) => [property, exampleOf(inner, schemas)]));
  }
  if (schema.items) return [exampleOf(schema.items, schemas)];
  const type = [schema.type].flat()[0];
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? 1 : type === 'object' ? {} : '…';
}
