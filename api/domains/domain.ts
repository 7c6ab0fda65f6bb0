import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { invalid, notFound } from '../../src/errors.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { toHostName } from '../../src/rules/domains/addresses.ts';
import { parseHostName } from '../../src/rules/domains/host-name.ts';
import { type Domain, DomainKind, sweepShardLabel } from '../../src/rules/domains/kinds.ts';
import { findLastCheckedAt, sweepConfigMapName } from '../../src/rules/domains/sweep-buckets.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import { verifyDomainStart } from '../../workflows/domains/messages.ts';
import type { ApiDeps } from '../deps.ts';
import type { DomainView } from './schemas.ts';
import { toDomainView } from './schemas.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';

type DomainRef = { org: string; domain: string };

/** Accepts upper case and Unicode, and returns the canonical ASCII name. */
export function parseDomainName(text: string): string {
  const host = parseHostName(text);
  if (host !== undefined) return host;
  throw invalid(`"${text.slice(0, 100)}" is not a valid domain name.`, [
    { pointer: '/name', detail: 'must be a domain name such as "example.com", without scheme, port, path or wildcard' },
  ]);
}

export async function getDomain(store: Store, { org, domain }: DomainRef): Promise<Domain> {
  const name = parseHostName(domain);
  if (name === undefined) throw notFound('domain', domain, `org "${org}"`);
  return await store.get(DomainKind, { namespace: orgNamespace(org), name });
}

/** Returns the extra addresses of an org's zones, each with the domain that it is under. */
export async function listAddresses(
  store: Store,
  org: string,
): Promise<(DomainView['addresses'][number] & { domain: string })[]> {
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  return items.flatMap(({ metadata, spec }) =>
    spec.delivery.zones.flatMap((zone) =>
      (zone.addresses ?? []).map((address) => ({
        host: toHostName(address),
        product: metadata.name,
        zone: zone.name,
        domain: address.domain,
      })),
    ),
  );
}

/** Reads the last sweep of each shard once for all given domains. */
export async function loadLastCheckedTimes(
  store: Store,
  domains: readonly Domain[],
): Promise<(domain: Domain) => string | undefined> {
  const toShard = ({ metadata }: Domain): number => Number(metadata.labels?.[sweepShardLabel] ?? 0);
  const shards = [...new Set(domains.map(toShard))];
  const checks = await Promise.all(
    shards.map(async (shard) => {
      const sweep = await store.find(ConfigMapKind, { namespace: systemNamespace, name: sweepConfigMapName(shard) });
      return [shard, sweep?.data ?? {}] as const;
    }),
  );
  const times = new Map(checks);
  return (domain) => findLastCheckedAt(domain, times.get(toShard(domain)) ?? {});
}

export async function getDomainView(
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  ref: DomainRef,
  role: OrgRole | undefined,
): Promise<DomainView> {
  const domain = await getDomain(store, ref);
  const addresses = addressesForDomain(await listAddresses(store, ref.org), domain.metadata.name);
  const lastCheckedAt = (await loadLastCheckedTimes(store, [domain]))(domain);
  return toDomainView(domain, {
    role,
    settings: await readDomainSettings(store, config.domains),
    addresses,
    lastCheckedAt,
    isOwnedByViewer: true,
  });
}

type AddressWithDomain = DomainView['addresses'][number] & { domain: string };

export const addressesForDomain = (addresses: readonly AddressWithDomain[], name: string): DomainView['addresses'] =>
  addresses.filter(({ domain }) => domain === name).map(({ host, product, zone }) => ({ host, product, zone }));

/** Every message to the workflow of a domain can start it, so a lost workflow recovers with the next message. */
export function verifyDomainStartOperation(ref: DomainRef): WithStartWorkflowOperation<Workflow> {
  const { type, options } = verifyDomainStart(ref);
  return new WithStartWorkflowOperation(type, options);
}
