import { parse } from 'tldts';
import type { Domain, DomainSettings } from './kinds.ts';

export type DnsRecord = { type: 'TXT' | 'CNAME' | 'A' | 'AAAA'; name: string; value: string; purpose: string };

export const challengeName = (domain: string): string => `_service.${domain}`;
export const challengeValue = (token: string): string => `service-verify=${token}`;

/** Lists the records that the owner of an external domain must add, and that the service writes for a managed domain. */
export function listRequiredRecords({ spec }: Pick<Domain, 'spec'>, { ingress }: DomainSettings): DnsRecord[] {
  const { name, kind, token } = spec;
  if (kind === 'platform') return [];
  const challenge: DnsRecord = {
    type: 'TXT',
    name: challengeName(name),
    value: challengeValue(token),
    purpose: 'proves ownership; stays in place, and is checked continually',
  };
  return [...(kind === 'external' ? [challenge] : []), ...trafficRecords(name, ingress)];
}

/** A registered domain cannot have a CNAME record, because it already has the NS and SOA records of its DNS zone. */
function trafficRecords(name: string, { host, addresses }: DomainSettings['ingress']): DnsRecord[] {
  const purpose = 'traffic';
  const addressRecords = (at: string): DnsRecord[] =>
    addresses.map((value) => ({ type: value.includes(':') ? 'AAAA' : 'A', name: at, value, purpose }));
  const alias = (at: string): DnsRecord[] =>
    host === undefined ? addressRecords(at) : [{ type: 'CNAME', name: at, value: host, purpose }];
  const isRoot = parse(name, { allowPrivateDomains: false }).domain === name;
  const own = isRoot && addresses.length > 0 ? addressRecords(name).map(withRootPurpose(host)) : alias(name);
  return [...own, ...alias(`*.${name}`)];
}

const withRootPurpose =
  (host: string | undefined) =>
  (record: DnsRecord): DnsRecord =>
    host === undefined ? record : { ...record, purpose: `traffic; an ALIAS or flattened CNAME to ${host} also works` };
