/** JSON Schema as zod generates it, and as Kubernetes requires it for custom resources (structural, OpenAPI v3). */
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
  'x-kubernetes-validations'?: ValidationRule[];
  [keyword: string]: unknown;
};
export type ValidationRule = { rule: string; message: string };

/** Removes the keywords that the API server rejects. The service still validates with the full schema. */
export function toStructuralSchema(schema: Schema): Schema {
  const { oneOf, const: only, properties, items, additionalProperties, propertyNames: _p, ...rest } = schema;
  if (oneOf) return toStructuralSchema(mergeVariants(oneOf));
  const { format, pattern, minimum, maximum, ...others } = rest;
  return {
    ...others,
    ...(only !== undefined && { enum: [only] }),
    ...(format !== undefined && { format }),
    // zod adds a very long pattern that only repeats the format.
    ...(pattern !== undefined && format === undefined && { pattern: withoutLookahead(pattern) }),
    ...(isRealLimit(minimum) && { minimum }),
    ...(isRealLimit(maximum) && { maximum }),
    ...(rest.type === 'integer' && { format: 'int64' }),
    ...(properties && { properties: mapValues(properties, toStructuralSchema) }),
    ...(items && { items: toStructuralSchema(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: toStructuralSchema(additionalProperties) }),
  };
}

const isRealLimit = (limit: number | undefined): limit is number =>
  limit !== undefined && Math.abs(limit) !== Number.MAX_SAFE_INTEGER;

/** Go's regular expressions do not support lookahead. */
const withoutLookahead = (pattern: string): string => pattern.replace(/\(\?!.*?\)/, '');

/** Merges the variants into one object; validation rules express the differences. */
function mergeVariants(variants: Schema[]): Schema {
  const tag = Object.keys(variants[0]?.properties ?? {}).find((key) =>
    variants.every(({ properties }) => properties?.[key]?.const !== undefined),
  );
  if (tag === undefined) throw new Error('A custom resource can only use a union that one property discriminates.');
  const names = variants.map(({ properties }) => properties?.[tag]?.const as string);
  const all = Object.assign({}, ...variants.map(({ properties }) => properties)) as Record<string, Schema>;
  const common = (variants[0]?.required ?? []).filter((key) =>
    variants.every(({ required }) => required?.includes(key)),
  );
  const rules = variants.flatMap(({ properties = {}, required = [] }, index) => {
    const name = names[index];
    const needs = required.filter((key) => !common.includes(key));
    const foreign = Object.keys(all).filter((key) => !(key in properties));
    const rule = (condition: string, message: string): ValidationRule => ({
      rule: `self.${tag} != '${name}' || (${condition})`,
      message: `${tag} "${name}" ${message}`,
    });
    return [
      ...(needs.length > 0 ? [rule(needs.map(hasFieldExpression).join(' && '), `needs ${needs.join(' and ')}`)] : []),
      ...(foreign.length > 0
        ? [rule(`!(${foreign.map(hasFieldExpression).join(' || ')})`, `has no ${foreign.join(', ')}`)]
        : []),
    ];
  });
  return {
    type: 'object',
    properties: { ...all, [tag]: { type: 'string', enum: names } },
    required: common,
    'x-kubernetes-validations': rules,
  };
}

const hasFieldExpression = (key: string): string => `has(self.${key})`;

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
