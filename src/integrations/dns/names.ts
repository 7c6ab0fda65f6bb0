/** Returns the name without its first label, or undefined for a top-level domain. */
export function parentName(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(dot + 1);
}

export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);

/** Converts a name to lower case without the trailing dot. */
export const normalizeName = (name: string): string => name.toLowerCase().replace(/\.$/, '');
