import type { InsideDestination } from '../network/allowed-inside.ts';
import { displayAddress } from '../network/display-address.ts';
import type { CaaRecord, Observation } from './observation.ts';
import type { DomainChecks, DomainSettings } from './kinds.ts';

type Checks = DomainChecks;
const toSource = ({ server, at }: Observation<unknown>) => ({ server, at });
/** DNS records are untrusted content, so the status only holds a bounded part of them. */
const excerpts = (texts: readonly string[]): string[] => texts.slice(0, 10).map((text) => text.slice(0, 255));

export function judgeOwnership(texts: Observation<string>, expected: string): Checks['ownership'] {
  const base = { ...toSource(texts), observed: excerpts(texts.records), authoritative: texts.authoritative };
  // The lookup does not follow a CNAME, because a TXT record behind it belongs to another name.
  if (texts.outcome === 'found' && texts.records.some((text) => text.trim() === expected))
    return { ...base, observed: [expected], verdict: 'verified', message: 'The TXT record exists.' };
  if (texts.outcome === 'unknown') return { ...base, verdict: 'unknown', message: lookupFailedMessage(texts) };
  const alias = texts.aliases[0];
  if (alias !== undefined)
    return {
      ...base,
      observed: [`CNAME ${alias}`],
      verdict: 'missing',
      message: `A CNAME to ${alias}, perhaps from a wildcard record, hides the TXT record. Add the TXT record at exactly this name.`,
    };
  return texts.outcome === 'found'
    ? { ...base, verdict: 'wrong-value', message: 'No TXT record has the expected value.' }
    : { ...base, verdict: 'missing', message: `The TXT record does not exist: ${texts.server} ${texts.response}.` };
}

type Ingress = DomainSettings['ingress'];
export type TrafficFacts = {
  addresses: Observation<string>;
  ingress: Ingress;
  isProxied: (address: string) => boolean;
  /** The destinations inside the network that the operator allows. */
  allowedInside: readonly InsideDestination[];
};

/** A name can point into the network of the service, whose addresses are not shown. */
export function judgeTraffic({ addresses, ingress, isProxied, allowedInside }: TrafficFacts): Checks['traffic'] {
  const { records, aliases, outcome } = addresses;
  const toShown = (address: string): string =>
    ingress.addresses.includes(address) ? address : displayAddress(allowedInside, address);
  const observed = excerpts([...aliases.map((alias) => `CNAME ${alias}`), ...records.map(toShown)]);
  const base = { ...toSource(addresses), observed };
  if (ingress.host !== undefined && aliases.includes(ingress.host))
    return { ...base, verdict: 'connected', message: `The name is an alias of ${ingress.host}.` };
  if (outcome === 'unknown') return { ...base, verdict: 'unknown', message: lookupFailedMessage(addresses) };
  if (records.length === 0) return { ...base, verdict: 'unresolved', message: 'The name does not resolve yet.' };
  if (ingress.host !== undefined && ingress.addresses.length === 0)
    return {
      ...base,
      verdict: 'unknown',
      message: `The name cannot be compared with ${ingress.host}, whose addresses could not be looked up.`,
    };
  const elsewhere = records.filter((address) => !ingress.addresses.includes(address));
  if (elsewhere.length === 0) return { ...base, verdict: 'connected', message: 'The name points to the service.' };
  if (elsewhere.every(isProxied))
    return {
      ...base,
      verdict: 'proxied',
      message: 'The name points to a DNS proxy, which hides its target. Set the record to "DNS only".',
    };
  const part = elsewhere.length === records.length ? 'The name points' : 'Some of its addresses point';
  return {
    ...base,
    verdict: 'elsewhere',
    message: `${part} elsewhere: ${excerpts(elsewhere.map(toShown)).join(', ')}.`,
  };
}

/** RFC 8659: the first CAA record set from the name upwards applies; without one, any authority may issue. */
export function judgeCertificates(caa: Observation<CaaRecord>, authorities: readonly string[]): Checks['certificates'] {
  const observed = excerpts(caa.records.map(({ tag, value }) => `${tag} "${value}"`));
  const base = { ...toSource(caa), observed };
  if (caa.outcome === 'unknown') return { ...base, verdict: 'unknown', message: lookupFailedMessage(caa) };
  if (caa.outcome === 'absent')
    return { ...base, verdict: 'allowed', message: 'No CAA record restricts certificates.' };
  const knownTags = new Set(['issue', 'issuewild', 'iodef', 'contactemail', 'contactphone', 'issuemail', 'issuevmc']);
  const unknownCritical = caa.records.find(({ critical, tag }) => critical && !knownTags.has(tag));
  if (unknownCritical)
    return {
      ...base,
      verdict: 'blocked',
      message: `The CAA record "${unknownCritical.tag}" is critical, but authorities do not know its tag.`,
    };
  const issue = caa.records.filter(({ tag }) => tag === 'issue');
  const wild = caa.records.filter(({ tag }) => tag === 'issuewild');
  const names = authorities.join(' or ');
  if (!permits(issue, authorities))
    return {
      ...base,
      verdict: 'blocked',
      message: `The CAA records do not allow ${names} to issue. Add: CAA 0 issue "${authorities[0]}".`,
    };
  const conditions = listConditions(issue, authorities);
  if (conditions.length > 0)
    return {
      ...base,
      verdict: 'unknown',
      message: `The CAA records allow ${names} to issue only with ${excerpts(conditions).join('; ')}, which the service cannot check. Ask a platform admin how its certificates are issued.`,
    };
  // The service requests a certificate per address, so wildcard certificates are not required.
  const wildcards = permits(wild, authorities) ? '' : ', but not wildcard certificates';
  return { ...base, verdict: 'allowed', message: `The CAA records allow ${names} to issue${wildcards}.` };
}

/** A set without records of a tag restricts no authority; a record with an empty name forbids all. */
const permits = (records: readonly CaaRecord[], authorities: readonly string[]): boolean =>
  records.length === 0 || records.some((record) => namesAuthority(record, authorities));

const namesAuthority = ({ value }: CaaRecord, authorities: readonly string[]): boolean =>
  authorities.includes((value.split(';')[0] ?? '').trim().toLowerCase());

/** Returns the conditions of the records that name an authority, or none if one of the records has none. */
function listConditions(records: readonly CaaRecord[], authorities: readonly string[]): string[] {
  const conditions = records
    .filter((record) => namesAuthority(record, authorities))
    .map(({ value }) =>
      value
        .split(';')
        .slice(1)
        .map((part) => part.trim())
        .filter(isCondition),
    );
  return conditions.some((ofRecord) => ofRecord.length === 0) ? [] : conditions.flat();
}

/**
 * RFC 8657: a record can name the account of the authority, which is the operator's, and the methods of validation. Of
 * these, certificates of addresses need HTTP-01. Authorities ignore other parameters.
 */
function isCondition(parameter: string): boolean {
  const [tag = '', values = ''] = parameter.split('=').map((part) => part.trim().toLowerCase());
  if (tag !== 'validationmethods') return tag === 'accounturi';
  return !values.split(',').some((method) => method.trim() === 'http-01');
}

const lookupFailedMessage = ({ response, server }: Observation<unknown>): string =>
  `The lookup failed: ${response.startsWith('says') ? `${server} ` : ''}${response}.`.slice(0, 500);
