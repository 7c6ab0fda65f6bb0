const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Leaves room, within the 253 of DNS, for the names that stand under it and for what objects of ours put before it. */
const lengthMax = 220;

/**
 * A bare host name as DNS has it: lower case, IDNs in their ASCII form, no dot at the end. Undefined for anything else,
 * such as an address, a URL or a single label.
 */
export function hostName(given: string): string | undefined {
  const bare = given.trim().replace(/\.$/, '');
  // What would have a meaning in a URL does not belong to a name.
  if (bare === '' || /[\s/:@?#[\]\\%*_]/.test(bare)) return undefined;
  const ascii = URL.parse(`http://${bare}`)?.hostname;
  if (ascii === undefined || ascii.length > lengthMax) return undefined;
  const labels = ascii.split('.');
  // A number at the end is what an IPv4 address has.
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return labels.every((one) => label.test(one)) ? ascii : undefined;
}

export const isUnder = (host: string, domain: string): boolean => host.endsWith(`.${domain}`);
export const overlaps = (one: string, other: string): boolean =>
  one === other || isUnder(one, other) || isUnder(other, one);

/** One label of a host name. */
export const isHostLabel = (text: string): boolean => label.test(text);
