import type { OpenApiDocument, Operation, Parameter, Schema } from '../../api/queries/reference.ts';

export type Entry = { method: string; path: string; operation: Operation };
export type Group = { name: string; description: string; entries: Entry[] };

/** The operations by tag, in the order of the document. */
export function listGroups({ paths, tags }: OpenApiDocument): Group[] {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const byTag = Map.groupBy(entries, ({ operation }) => operation.tags[0] ?? '');
  return tags.map(({ name, description }) => ({ name, description, entries: byTag.get(name) ?? [] }));
}

/** Every word of the search must be in what an operation is called, in any case. */
export function searchGroups(groups: Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ method, path, operation }: Entry, tag: string): boolean => {
    const { operationId, summary, description = '' } = operation;
    const searched = `${operationId} ${summary} ${method} ${path} ${tag} ${description}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => matches(entry, group.name)) }))
    .filter(({ entries }) => entries.length > 0);
}

export const refName = ({ $ref }: { $ref?: string }): string | undefined => $ref?.split('/').at(-1);

/** The parameters of an operation, those of its path first. */
export function listParameters({ parameters = [] }: Operation, { components }: OpenApiDocument): Parameter[] {
  const all = parameters.flatMap((one) => ('$ref' in one ? (components.parameters[refName(one) ?? ''] ?? []) : [one]));
  const order = ['path', 'query', 'header'];
  return all.toSorted((one, other) => order.indexOf(one.in) - order.indexOf(other.in));
}

/** The type of a value in short: the name of a schema, a list of one, or what JSON calls it. */
export function toTypeText(schema: Schema): string {
  const name = refName(schema);
  if (name !== undefined) return name;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(toTypeText))].join(' or ');
  if (schema.allOf) return schema.allOf.map(toTypeText).join(' and ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.items) return `list of ${toTypeText(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${toTypeText(schema.additionalProperties)}`;
  if (schema.properties) return 'object';
  return [schema.type ?? 'any'].flat().join(' or ') + (schema.format === undefined ? '' : ` (${schema.format})`);
}

/** The limits of a value in words. */
export function toLimits(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format, default: preset } = schema;
  return [
    toRange(minLength, maxLength, ' characters'),
    toRange(minimum, maximum, ''),
    toRange(minItems, maxItems, ' items'),
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
