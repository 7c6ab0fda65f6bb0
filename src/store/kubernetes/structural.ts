/** JSON Schema as zod writes it, and as Kubernetes wants it for custom resources (structural, OpenAPI v3). */
export type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  'x-kubernetes-validations'?: Rule[];
  [keyword: string]: unknown;
};
export type Rule = { rule: string; message: string };

/** The schema without what the API server refuses; the service still checks what is lost here. */
export function structural(schema: Schema): Schema {
  const { oneOf, const: only, properties, items, additionalProperties, propertyNames: _p, ...rest } = schema;
  if (oneOf) return structural(oneOfThem(oneOf));
  const { format, pattern, minimum, maximum, ...kept } = rest;
  return {
    ...kept,
    ...(only !== undefined && { enum: [only] }),
    ...(format !== undefined && { format }),
    // A format says it already, in far more words.
    ...(pattern !== undefined && format === undefined && { pattern: withoutLookahead(pattern) }),
    ...(isLimit(minimum) && { minimum }),
    ...(isLimit(maximum) && { maximum }),
    ...(rest.type === 'integer' && { format: 'int64' }),
    ...(properties && { properties: mapped(properties, structural) }),
    ...(items && { items: structural(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: structural(additionalProperties) }),
  };
}

const isLimit = (limit: number | undefined): limit is number =>
  limit !== undefined && Math.abs(limit) !== Number.MAX_SAFE_INTEGER;

/** Go's regular expressions have none. */
const withoutLookahead = (pattern: string): string => pattern.replace(/\(\?!.*?\)/, '');

/** What the variants of an object have together, and as rules what sets them apart. */
function oneOfThem(variants: Schema[]): Schema {
  const tag = Object.keys(variants[0]?.properties ?? {}).find((key) =>
    variants.every(({ properties }) => properties?.[key]?.const !== undefined),
  );
  if (tag === undefined) throw new Error('Only a union that one property tells apart can be a custom resource.');
  const names = variants.map(({ properties }) => properties?.[tag]?.const as string);
  const all = Object.assign({}, ...variants.map(({ properties }) => properties)) as Record<string, Schema>;
  const common = (variants[0]?.required ?? []).filter((key) =>
    variants.every(({ required }) => required?.includes(key)),
  );
  const rules = variants.flatMap(({ properties = {}, required = [] }, index) => {
    const name = names[index];
    const needs = required.filter((key) => !common.includes(key));
    const foreign = Object.keys(all).filter((key) => !(key in properties));
    const rule = (condition: string, message: string): Rule => ({
      rule: `self.${tag} != '${name}' || (${condition})`,
      message: `${tag} "${name}" ${message}`,
    });
    return [
      ...(needs.length > 0 ? [rule(needs.map(has).join(' && '), `needs ${needs.join(' and ')}`)] : []),
      ...(foreign.length > 0 ? [rule(`!(${foreign.map(has).join(' || ')})`, `has no ${foreign.join(', ')}`)] : []),
    ];
  });
  return {
    type: 'object',
    properties: { ...all, [tag]: { type: 'string', enum: names } },
    required: common,
    'x-kubernetes-validations': rules,
  };
}

const has = (key: string): string => `has(self.${key})`;

const mapped = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
