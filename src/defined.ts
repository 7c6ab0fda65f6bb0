/** Makes each property that may be undefined optional, and removes undefined from its type. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

type Value = string | number | boolean | bigint | symbol | object | null | undefined;

/**
 * Drops the properties that are undefined. With `exactOptionalPropertyTypes` an optional property may not be present
 * with the value undefined, and stored JSON should not hold such keys either.
 */
// The parameter V keeps literal types: without it, `{ state: 'Verified' }` would become `{ state: string }`.
export function defined<V extends Value, T extends Record<string, V>>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
