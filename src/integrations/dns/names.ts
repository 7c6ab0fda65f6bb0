/** The name without its first label; undefined above a top-level name. */
export function parentOf(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(dot + 1);
}

export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);

/** As names stand in the cache and in comparisons: lower case, without the dot at the end. */
export const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');
