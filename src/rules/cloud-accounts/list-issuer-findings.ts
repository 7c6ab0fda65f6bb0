import ipaddr from 'ipaddr.js';
import { parse } from 'tldts';
import { addressScope } from '../network/address-scope.ts';

export type IssuerFinding = { message: string; fix: string };

const fix = 'Ask an operator to serve the installation at a public https address, and to set PUBLIC_URL to it.';

/** Lists why clouds cannot read the keys of an issuer, or refuse to trust it. Without any, they can unless a firewall keeps them away. */
export function listIssuerFindings(issuer: string): IssuerFinding[] {
  const { protocol, hostname, port } = new URL(issuer);
  const host = hostname.replace(/^\[|\]$/g, '');
  return [
    protocol !== 'https:' && 'Clouds trust only https issuers, and this one uses http.',
    !isPublicHost(host) && `Clouds read the keys over the internet, and ${host} is not a public host.`,
    port !== '' && `AWS accepts only issuers without a port, and this one has the port ${port}.`,
  ].flatMap((message) => (message === false ? [] : [{ message, fix }]));
}

/** A public host is a name below a public suffix, or a public address. */
function isPublicHost(host: string): boolean {
  if (ipaddr.isValid(host)) return addressScope(host) === 'public';
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return domain !== null && (isIcann === true || isPrivate === true);
}
