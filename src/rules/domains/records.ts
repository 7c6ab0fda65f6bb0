import { parse } from 'tldts';
import type { Domain, DomainSettings } from './kinds.ts';

export type DnsRecord = { type: 'TXT' | 'CNAME' | 'A' | 'AAAA'; name: string; value: string; purpose: string };

export const challengeName = (domain: string): string => `_service.${domain}`;
export const challengeText = (token: string): string => `service-verify=${token}`;

/** The records that the owner of an external domain adds, and that a managed one is given. */
export function recordsOf({ spec }: Pick<Domain, 'spec'>, { ingress }: DomainSettings): DnsRecord[] {
  const { name, kind, token } = spec;
  if (kind === 'platform') return [];
  const proof: DnsRecord = {
    type: 'TXT',
    name: challengeName(name),
    value: challengeText(token),
    purpose: 'proves ownership; stays in place, and is checked continually',
  };
  return [...(kind === 'external' ? [proof] : []), ...trafficTo(name, ingress)];
}

/** A domain as it is registered cannot hold a CNAME: beside it stand the records of its zone. */
function trafficTo(name: string, { host, addresses }: DomainSettings['ingress']): DnsRecord[] {
  const purpose = 'traffic';
  const pointed = (at: string): DnsRecord[] =>
    addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', name: at, value, purpose }));
  const alias = (at: string): DnsRecord[] =>
    host === undefined ? pointed(at) : [{ type: 'CNAME', name: at, value: host, purpose }];
  const isRoot = parse(name, { allowPrivateDomains: false }).domain === name;
  const own = isRoot && addresses.length > 0 ? pointed(name).map(rootPurpose(host)) : alias(name);
  return [...own, ...alias(`*.${name}`)];
}

const rootPurpose =
  (host: string | undefined) =>
  (record: DnsRecord): DnsRecord =>
    host === undefined ? record : { ...record, purpose: `traffic; an ALIAS or flattened CNAME to ${host} also works` };
