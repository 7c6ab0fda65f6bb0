/** Returns the name without its first label, or undefined for a top-level domain. */
export function parentName(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(dot + 1);
}

export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);

/** Converts a name to lower case without the trailing dot. */
export const normalizeName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Returns false for a name that a query cannot carry: the labels of a record can hold any bytes, dots included. */
export const isValidName = (name: string): boolean =>
  name === '' || name === '.' || (name.length <= 253 && name.split('.').every((label) => labelPattern.test(label)));

const labelPattern = /^[!-~]{1,63}$/;
