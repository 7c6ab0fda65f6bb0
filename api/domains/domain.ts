import { WithStartWorkflowOperation } from '@temporalio/client';
import { invalid, notFound } from '../../src/errors.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { hostOf } from '../../src/rules/domains/addresses.ts';
import { hostName } from '../../src/rules/domains/host-name.ts';
import { type Domain, DomainKind, shardLabel } from '../../src/rules/domains/kinds.ts';
import { lastChecked, sweepName } from '../../src/rules/domains/sweeps.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { verifyDomainId } from '../../workflows/domains/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps } from '../deps.ts';
import type { DomainView } from './schemas.ts';
import { domainView } from './schemas.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';

type DomainRef = { org: string; domain: string };

/** A name as people type it, in whatever case or script, as it is known by. */
export function readDomainName(given: string): string {
  const host = hostName(given);
  if (host !== undefined) return host;
  throw invalid(`"${given.slice(0, 100)}" is no domain.`, [
    { pointer: '/name', detail: 'must be a bare domain such as "example.com": no scheme, port, path or wildcard' },
  ]);
}

export async function getDomainOf(store: Store, { org, domain }: DomainRef): Promise<Domain> {
  const name = hostName(domain);
  if (name === undefined) throw notFound('domain', domain, `org "${org}"`);
  return await store.get(DomainKind, { namespace: orgNamespace(org), name });
}

/** The org's extra addresses, with the domain that each is under. */
export async function addressesOf(
  store: Store,
  org: string,
): Promise<(DomainView['addresses'][number] & { domain: string })[]> {
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  return items.flatMap(({ metadata, spec }) =>
    spec.delivery.zones.flatMap((zone) =>
      (zone.addresses ?? []).map((address) => ({
        host: hostOf(address),
        product: metadata.name,
        zone: zone.name,
        domain: address.domain,
      })),
    ),
  );
}

/** When each shard was swept last, read once for all domains of a list. */
export async function readSweeps(
  store: Store,
  domains: readonly Domain[],
): Promise<(domain: Domain) => string | undefined> {
  const shardOf = ({ metadata }: Domain): number => Number(metadata.labels?.[shardLabel] ?? 0);
  const shards = [...new Set(domains.map(shardOf))];
  const read = await Promise.all(
    shards.map(async (shard) => {
      const kept = await store.find(ConfigMapKind, { namespace: systemNamespace, name: sweepName(shard) });
      return [shard, kept?.data ?? {}] as const;
    }),
  );
  const times = new Map(read);
  return (domain) => lastChecked(domain, times.get(shardOf(domain)) ?? {});
}

export async function showDomain(
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  ref: DomainRef,
  role: OrgRole | undefined,
): Promise<DomainView> {
  const domain = await getDomainOf(store, ref);
  const addresses = under(await addressesOf(store, ref.org), domain.metadata.name);
  const lastCheckedAt = (await readSweeps(store, [domain]))(domain);
  return domainView(domain, {
    role,
    settings: config.domains,
    addresses,
    lastCheckedAt,
    isOwn: true,
  });
}

type Placed = DomainView['addresses'][number] & { domain: string };

/** Those of them that are under one domain. */
export const under = (addresses: readonly Placed[], name: string): DomainView['addresses'] =>
  addresses.filter(({ domain }) => domain === name).map(({ host, product, zone }) => ({ host, product, zone }));

/** The loop of a name, started where there is none: a lost one comes back with the first word to it. */
export const nameLoop = ({ org, domain }: DomainRef) =>
  new WithStartWorkflowOperation('verifyDomain', {
    taskQueue: defaultTaskQueue,
    workflowId: verifyDomainId({ domain }),
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ domain }],
    staticSummary: `Domain ${domain}`,
    typedSearchAttributes: searchAttributes({ org, targetKind: 'domain' }),
  });
