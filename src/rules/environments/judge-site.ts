import ipaddr from 'ipaddr.js';

/** Where clouds answer with credentials of the machine, besides what is link-local. */
const metadata = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254']);
/** Networks that only an address which the service itself gave out may be in. */
const inside = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

export type SiteFacts = {
  /** What a person wrote as the zone's address. */
  url: string;
  /** What its name resolves to. */
  addresses: string[];
  /** The addresses that the service itself gives the zone. */
  own: string[];
};

/**
 * Why the service must not open a URL for a zone; `undefined` when it may. People write these URLs, and the service can
 * reach what they cannot: only the zone's own addresses may be inside, all others have to be out on the internet.
 */
export function siteProblem({ url, addresses, own }: SiteFacts): string | undefined {
  const { origin, hostname } = new URL(url);
  const isOwn = own.some((address) => new URL(address).origin === origin);
  const wrong = addresses.find((address) => !isAllowed(address, isOwn));
  if (wrong === undefined) return addresses.length > 0 ? undefined : `${hostname} has no address.`;
  return `${origin} is at ${wrong}, which is neither the zone's own address nor on the internet. Write an address of the zone.`;
}

function isAllowed(address: string, isOwn: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (metadata.has(ip.toString())) return false;
  const range = ip.range();
  return range === 'unicast' || (isOwn && inside.has(range));
}
