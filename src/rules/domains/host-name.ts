const labelPattern = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** DNS allows 253 characters; the rest is for subdomains and for the prefixes of object names. */
const hostNameLengthMax = 220;

/**
 * Normalizes a host name: lower case, ASCII form of IDNs, no trailing dot. Returns undefined for anything else, such as
 * an IP address, a URL or a single label.
 */
export function parseHostName(given: string): string | undefined {
  const name = given.trim().replace(/\.$/, '');
  // Characters with a meaning in a URL are not part of a host name.
  if (name === '' || /[\s/:@?#[\]\\%*_]/.test(name)) return undefined;
  const ascii = URL.parse(`http://${name}`)?.hostname;
  if (ascii === undefined || ascii.length > hostNameLengthMax) return undefined;
  const labels = ascii.split('.');
  // A URL parser reads a name whose last label is a number as an IPv4 address.
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return labels.every((one) => labelPattern.test(one)) ? ascii : undefined;
}

export const isSubdomain = (host: string, domain: string): boolean => host.endsWith(`.${domain}`);
export const hostsOverlap = (one: string, other: string): boolean =>
  one === other || isSubdomain(one, other) || isSubdomain(other, one);

export const isHostLabel = (text: string): boolean => labelPattern.test(text);
