import type { Dns, LookupOptions } from '../../src/integrations/dns/dns.ts';
import { randomProbeLabel, resolveIngress } from '../../src/integrations/dns/probe.ts';
import { DnsEndpointKind, recordErrorReason } from '../../src/kinds/external-dns.ts';
import { EventsV1EventKind } from '../../src/kinds/kubernetes.ts';
import { challengeName, challengeValue } from '../../src/rules/domains/dns-records.ts';
import { judgeCertificates, judgeOwnership, judgeTraffic } from '../../src/rules/domains/judge-checks.ts';
import type { Domain, DomainChecks, DomainSettings } from '../../src/rules/domains/kinds.ts';
import type { Observation } from '../../src/rules/domains/observation.ts';
import type { InsideDestination } from '../../src/rules/network/allowed-inside.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export type InspectDeps = {
  store: Store;
  dns: Dns;
  domains: DomainSettings;
  /** Returns true for the address of a DNS proxy, which hides the target of a name. */
  isProxied: (address: string) => boolean;
  /** The destinations inside the network that the operator allows. */
  allowedInside: readonly InsideDestination[];
};

type Ingress = DomainSettings['ingress'];

/** Queries DNS for the ownership, traffic and certificates of a domain. */
export async function inspectDomain(
  deps: InspectDeps,
  { spec }: Pick<Domain, 'spec'>,
  options: LookupOptions,
): Promise<DomainChecks> {
  const { dns, domains } = deps;
  const ingress = await resolveIngress(dns, domains.ingress);
  const [caa, checks] = await Promise.all([
    dns.lookupCaa(spec.name, options),
    spec.kind === 'managed'
      ? inspectManaged(deps, spec.name, ingress)
      : inspectExternal(deps, spec, { options, ingress }),
  ]);
  return { ...checks, certificates: judgeCertificates(caa, domains.certificateAuthorities) };
}

async function inspectExternal(
  { dns, isProxied, allowedInside }: InspectDeps,
  { name, token }: Domain['spec'],
  { options, ingress }: { options: LookupOptions; ingress: Ingress },
): Promise<Omit<DomainChecks, 'certificates'>> {
  const [texts, addresses] = await Promise.all([
    dns.lookupTxt(challengeName(name), options),
    dns.lookupAddresses(name, stopAtIngress(options, ingress)),
  ]);
  const ownership = judgeOwnership(texts, challengeValue(token));
  const traffic = judgeTraffic({ addresses, ingress, isProxied, allowedInside });
  if (traffic.verdict === 'connected' || (ownership.verdict !== 'verified' && !options.allServers))
    return { ownership, traffic };
  const probe = await dns.lookupAddresses(`${randomProbeLabel()}.${name}`, stopAtIngress(options, ingress));
  const wildcard = judgeTraffic({ addresses: probe, ingress, isProxied, allowedInside });
  return wildcard.verdict === 'connected'
    ? {
        ownership,
        traffic: { ...wildcard, message: 'Names under the domain point to the service; the domain itself does not.' },
      }
    : { ownership, traffic };
}

/** A managed domain is verified when its name and its wildcard point to the service. */
async function inspectManaged(
  { dns, store, isProxied, allowedInside }: InspectDeps,
  name: string,
  ingress: Ingress,
): Promise<Omit<DomainChecks, 'certificates'>> {
  const options = stopAtIngress({ allServers: true }, ingress);
  const [own, probe] = await Promise.all([
    dns.lookupAddresses(name, options),
    dns.lookupAddresses(`${randomProbeLabel()}.${name}`, options),
  ]);
  const traffic = judgeTraffic({ addresses: own, ingress, isProxied, allowedInside });
  const wildcard = judgeTraffic({ addresses: probe, ingress, isProxied, allowedInside });
  const { observed, server, at } = traffic;
  const base = { observed, server, at, authoritative: own.authoritative && probe.authoritative };
  const verdicts = [traffic.verdict, wildcard.verdict];
  if (verdicts.every((verdict) => verdict === 'connected'))
    return { traffic, ownership: { ...base, verdict: 'verified', message: 'The name and its wildcard resolve.' } };
  if (verdicts.includes('unknown'))
    return { traffic, ownership: { ...base, verdict: 'unknown', message: traffic.message } };
  const message = (await findManagedRecordProblem(store, name)) ?? 'The name or its wildcard does not resolve yet.';
  return { traffic, ownership: { ...base, verdict: 'missing', message } };
}

/** Finds out from the cluster's objects why the requested records do not exist yet. */
async function findManagedRecordProblem(store: Store, name: string): Promise<string | undefined> {
  const { items } = await store.list(EventsV1EventKind, {
    namespace: systemNamespace,
    fields: { 'regarding.name': name },
  });
  const isRejected = items.some(
    ({ regarding, reason, type }) =>
      regarding?.kind === DnsEndpointKind.kind && (reason === recordErrorReason || type === 'Warning'),
  );
  if (isRejected)
    return 'The DNS provider rejected the records. Ask a platform admin to check the credentials of the DNS controller.';
  const endpoint = await store.find(DnsEndpointKind, { namespace: systemNamespace, name });
  if (!endpoint)
    return 'The DNS records of the domain were not requested. Check the domain again, which requests them.';
  return undefined;
}

const stopAtIngress = (options: LookupOptions, { host }: Ingress) =>
  host === undefined ? options : { ...options, stopAtAlias: host };

/** A name whose answers equal those for a random name next to it has no record of its own. */
export async function isDnsNameFree(dns: Dns, name: string): Promise<boolean | 'unknown'> {
  const probe = `${randomProbeLabel()}${name.slice(name.indexOf('.'))}`;
  const [own, other] = await Promise.all([queryName(dns, name), queryName(dns, probe)]);
  if ([...own, ...other].some(({ outcome }) => outcome === 'unknown')) return 'unknown';
  return toComparableText(own) === toComparableText(other);
}

const queryName = async (dns: Dns, name: string): Promise<Observation<unknown>[]> =>
  await Promise.all([dns.lookupAddresses(name, { allServers: true }), dns.lookupTxt(name, { allServers: true })]);

const toComparableText = (observations: Observation<unknown>[]): string =>
  JSON.stringify(
    observations.map(({ records, aliases, response }) => [records.map(String).toSorted(), aliases, response]),
  );
