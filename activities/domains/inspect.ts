import { randomBytes } from 'node:crypto';
import type { Dns, Looking, Seen } from '../../src/integrations/dns/dns.ts';
import { judgeCertificates, judgeOwnership, judgeTraffic } from '../../src/rules/domains/judge-checks.ts';
import {
  DnsEndpointKind,
  EventKind,
  recordErrorReason,
  type Domain,
  type DomainChecks,
  type DomainSettings,
} from '../../src/rules/domains/kinds.ts';
import { challengeName, challengeText } from '../../src/rules/domains/records.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export type InspectDeps = {
  store: Store;
  dns: Dns;
  domains: DomainSettings;
  /** Whether an address is that of a DNS proxy, which hides where a name leads. */
  proxied: (address: string) => boolean;
};

/** A name under a domain that nobody has given a record of its own: what a wildcard answers. */
const probe = (): string => `service-check-${randomBytes(4).toString('hex')}`;

/** Looks at all of a domain that its status reports. */
export async function inspect(
  deps: InspectDeps,
  { spec }: Pick<Domain, 'spec'>,
  looking: Looking,
): Promise<DomainChecks> {
  const { dns, domains } = deps;
  const ingress = await reachableIngress(deps);
  const [caa, seen] = await Promise.all([
    dns.certificateAuthorities(spec.name, looking),
    spec.kind === 'managed'
      ? inspectManaged(deps, spec.name, ingress)
      : inspectExternal(deps, spec, { looking, ingress }),
  ]);
  return { ...seen, certificates: judgeCertificates(caa, domains.certificateAuthorities) };
}

type Ingress = DomainSettings['ingress'];

async function inspectExternal(
  { dns, proxied }: InspectDeps,
  { name, token }: Domain['spec'],
  { looking, ingress }: { looking: Looking; ingress: Ingress },
): Promise<Omit<DomainChecks, 'certificates'>> {
  const [texts, addresses] = await Promise.all([
    dns.texts(challengeName(name), looking),
    dns.addresses(name, untilIngress(looking, ingress)),
  ]);
  const ownership = judgeOwnership(texts, challengeText(token));
  const traffic = judgeTraffic({ addresses, ingress, proxied });
  if (traffic.verdict === 'reaches' || (ownership.verdict !== 'proven' && !looking.thorough))
    return { ownership, traffic };
  const under = await dns.addresses(`${probe()}.${name}`, untilIngress(looking, ingress));
  const wildcard = judgeTraffic({ addresses: under, ingress, proxied });
  return wildcard.verdict === 'reaches'
    ? { ownership, traffic: { ...wildcard, message: 'Names under it reach the service; the domain itself does not.' } }
    : { ownership, traffic };
}

/** A managed domain is proven by what it is for: its name and the names under it lead to the service. */
async function inspectManaged(
  { dns, proxied, store }: InspectDeps,
  name: string,
  ingress: Ingress,
): Promise<Omit<DomainChecks, 'certificates'>> {
  const looking = untilIngress({ thorough: true }, ingress);
  const [own, under] = await Promise.all([dns.addresses(name, looking), dns.addresses(`${probe()}.${name}`, looking)]);
  const traffic = judgeTraffic({ addresses: own, ingress, proxied });
  const wildcard = judgeTraffic({ addresses: under, ingress, proxied });
  const { seen, server, at } = traffic;
  const base = { seen, server, at, authoritative: own.authoritative && under.authoritative };
  const verdicts = [traffic.verdict, wildcard.verdict];
  if (verdicts.every((verdict) => verdict === 'reaches'))
    return { traffic, ownership: { ...base, verdict: 'proven', message: 'The name and its wildcard are there.' } };
  if (verdicts.includes('unknown'))
    return { traffic, ownership: { ...base, verdict: 'unknown', message: traffic.message } };
  const message = (await complaint(store, name)) ?? 'The name or its wildcard is not there yet.';
  return { traffic, ownership: { ...base, verdict: 'missing', message } };
}

/** What stands between the records that were asked for and the servers, as far as it can be told from here. */
async function complaint(store: Store, name: string): Promise<string | undefined> {
  const ref = { namespace: systemNamespace, name };
  const { items } = await store.list(EventKind, { namespace: systemNamespace, fields: { 'regarding.name': name } });
  const isRefused = items.some(
    ({ regarding, reason, type }) =>
      regarding?.kind === DnsEndpointKind.kind && (reason === recordErrorReason || type === 'Warning'),
  );
  if (isRefused)
    return 'The DNS provider does not take the records. Ask a platform admin to look at the credentials that the DNS controller has for it.';
  const endpoint = await store.find(DnsEndpointKind, ref);
  if (!endpoint) return 'Its DNS records have not been asked for. Remove the domain and claim it again.';
  return undefined;
}

const untilIngress = (looking: Looking, { host }: Ingress) =>
  host === undefined ? looking : { ...looking, until: host };

/** Where the operators named only a host, its addresses are what traffic has to arrive at. */
async function reachableIngress({ dns, domains: { ingress } }: InspectDeps): Promise<Ingress> {
  if (ingress.host === undefined || ingress.addresses.length > 0) return ingress;
  const { records } = await dns.addresses(ingress.host);
  return { ...ingress, addresses: records };
}

/** Whether a name answers exactly as one does that nobody can have chosen: then it has no record of its own. */
export async function isFree(dns: Dns, name: string): Promise<boolean | 'unknown'> {
  const sibling = `${probe()}${name.slice(name.indexOf('.'))}`;
  const looks = await Promise.all([name, sibling].map(async (one) => await lookAt(dns, one)));
  const [own, other] = looks;
  if (looks.some((seen) => seen.some(({ outcome }) => outcome === 'unknown'))) return 'unknown';
  return words(own ?? []) === words(other ?? []);
}

const lookAt = async (dns: Dns, name: string): Promise<Seen<unknown>[]> =>
  await Promise.all([dns.addresses(name, { thorough: true }), dns.texts(name, { thorough: true })]);

const words = (seen: Seen<unknown>[]): string =>
  JSON.stringify(seen.map(({ records, aliases, said }) => [records.map(String).toSorted(), aliases, said]));
