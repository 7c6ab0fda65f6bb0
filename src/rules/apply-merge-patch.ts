/** Any of the fields of T; `null` removes an optional one. */
export type MergePatch<T> = { [Field in keyof T]?: T[Field] | null };

/** Applies a merge patch (RFC 7396) to the top level of an object. Applying it twice has the same result. */
export function applyMergePatch<T extends object>(current: T, patch: MergePatch<T>): T {
  const entries = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as T;
}
