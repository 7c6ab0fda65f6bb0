import type { CaaRecord, Seen } from '../../integrations/dns/dns.ts';
import type { DomainChecks, DomainSettings } from './kinds.ts';

type Checks = DomainChecks;
const seenBy = ({ server, at }: Seen<unknown>) => ({ server, at });
/** What strangers put into their records is shown, but not at any length. */
const excerpts = (texts: readonly string[]): string[] => texts.slice(0, 10).map((text) => text.slice(0, 255));

export function judgeOwnership(texts: Seen<string>, expected: string): Checks['ownership'] {
  const base = { ...seenBy(texts), seen: excerpts(texts.records), authoritative: texts.authoritative };
  // A text that merely passed through an alias is somebody else's.
  if (texts.outcome === 'found' && texts.records.some((text) => text.trim() === expected))
    return { ...base, seen: [expected], verdict: 'proven', message: 'The TXT record is there.' };
  if (texts.outcome === 'unknown') return { ...base, verdict: 'unknown', message: couldNotAsk(texts) };
  const alias = texts.aliases[0];
  if (alias !== undefined)
    return {
      ...base,
      seen: [`CNAME ${alias}`],
      verdict: 'missing',
      message: `A CNAME to ${alias}, perhaps of a wildcard, answers in place of the TXT record. Add the TXT record at that very name.`,
    };
  return texts.outcome === 'found'
    ? { ...base, verdict: 'wrong-value', message: 'There are TXT records, but none with the right value.' }
    : { ...base, verdict: 'missing', message: `There is no TXT record: ${texts.server} ${texts.said}.` };
}

type Ingress = DomainSettings['ingress'];
export type TrafficFacts = { addresses: Seen<string>; ingress: Ingress; proxied: (address: string) => boolean };

export function judgeTraffic({ addresses, ingress, proxied }: TrafficFacts): Checks['traffic'] {
  const { records, aliases, outcome } = addresses;
  const seen = excerpts([...aliases.map((alias) => `CNAME ${alias}`), ...records]);
  const base = { ...seenBy(addresses), seen };
  if (ingress.host !== undefined && aliases.includes(ingress.host))
    return { ...base, verdict: 'reaches', message: `It is an alias of ${ingress.host}.` };
  if (outcome === 'unknown') return { ...base, verdict: 'unknown', message: couldNotAsk(addresses) };
  if (records.length === 0) return { ...base, verdict: 'unresolved', message: 'It does not resolve yet.' };
  const elsewhere = records.filter((address) => !ingress.addresses.includes(address));
  if (elsewhere.length === 0) return { ...base, verdict: 'reaches', message: 'It reaches the service.' };
  if (elsewhere.every(proxied))
    return {
      ...base,
      verdict: 'proxied',
      message: 'It goes through a DNS proxy, which hides where it leads. Set the record to "DNS only".',
    };
  const part = elsewhere.length === records.length ? 'It points' : 'Some of its visitors go';
  return { ...base, verdict: 'elsewhere', message: `${part} elsewhere: ${excerpts(elsewhere).join(', ')}.` };
}

/** RFC 8659: the first set of records on the way up counts; without one anybody may issue. */
export function judgeCertificates(caa: Seen<CaaRecord>, authorities: readonly string[]): Checks['certificates'] {
  const seen = excerpts(caa.records.map(({ tag, value }) => `${tag} "${value}"`));
  const base = { ...seenBy(caa), seen };
  if (caa.outcome === 'unknown') return { ...base, verdict: 'unknown', message: couldNotAsk(caa) };
  if (caa.outcome === 'absent') return { ...base, verdict: 'allowed', message: 'No CAA record stands in the way.' };
  const known = new Set(['issue', 'issuewild', 'iodef', 'contactemail', 'contactphone', 'issuemail', 'issuevmc']);
  const strange = caa.records.find(({ critical, tag }) => critical && !known.has(tag));
  if (strange)
    return {
      ...base,
      verdict: 'blocked',
      message: `The CAA record "${strange.tag}" is critical and unknown to authorities.`,
    };
  const issue = caa.records.filter(({ tag }) => tag === 'issue');
  const wild = caa.records.filter(({ tag }) => tag === 'issuewild');
  const names = authorities.join(' or ');
  if (!permits(issue, authorities))
    return {
      ...base,
      verdict: 'blocked',
      message: `The CAA records do not let ${names} issue. Add: CAA 0 issue "${authorities[0]}".`,
    };
  // Certificates are issued for each address; a wildcard is only what some would ask for besides.
  const wildcards = permits(wild.length > 0 ? wild : issue, authorities) ? '' : ', but not wildcard certificates';
  return { ...base, verdict: 'allowed', message: `The CAA records let ${names} issue${wildcards}.` };
}

/** A set without records of that kind restricts nobody; an empty name forbids all. */
const permits = (records: readonly CaaRecord[], authorities: readonly string[]): boolean =>
  records.length === 0 ||
  records.some(({ value }) => authorities.includes((value.split(';')[0] ?? '').trim().toLowerCase()));

const couldNotAsk = ({ said, server }: Seen<unknown>): string =>
  `It could not be asked: ${said.startsWith('says') ? `${server} ` : ''}${said}.`.slice(0, 500);
