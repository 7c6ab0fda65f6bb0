/** The text of a search parameter; nothing for an empty one. The router reads one like "404" or "true" as another type. */
export function toText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is undefined, so that the URL names only what was chosen. */
export const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Picks the texts of the named search parameters; one that is empty or missing is left out. */
export const pickTexts = <Name extends string>(
  search: Record<string, unknown>,
  ...names: Name[]
): { [K in Name]?: string } =>
  defined(Object.fromEntries(names.map((name) => [name, toText(search[name])]))) as { [K in Name]?: string };
