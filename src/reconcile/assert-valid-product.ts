import { invalid, type FieldError } from '../errors.ts';
import { sourceViolations } from '../rules/products/source-violations.ts';
import { volumeViolations } from '../rules/environments/settings.ts';
import { zoneNameViolation } from '../rules/environments/zone-name-violation.ts';
import { isGitopsRepo } from '../rules/orgs/is-gitops-repo.ts';
import { type Organization, OrganizationKind } from '../rules/orgs/kinds.ts';
import { ProductKind, type ProductSpec } from '../rules/products/kinds.ts';
import { registryPushViolation } from '../rules/registries/registry-push-violation.ts';
import { sloViolations } from '../rules/slos/slo-violations.ts';
import { orgNamespace, systemNamespace } from '../rules/resource.ts';
import { readDomainSettings, readZoneAddress } from '../store/installation.ts';
import { listRegistries } from '../store/registries.ts';
import { assertZonesWithinQuota } from './assert-zones-within-quota.ts';
import { addressViolations } from './address-violations.ts';
import type { ReconcileDeps } from './deps.ts';
import { listClusterNames } from './list-cluster-names.ts';

/** Throws when a Product cannot be delivered as its spec says; the error lists each invalid field. */
export async function assertValidProduct(
  { store, config }: Pick<ReconcileDeps, 'store' | 'config'>,
  { org, name, spec, before }: { org: string; name: string; spec: ProductSpec; before?: ProductSpec },
): Promise<void> {
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  const { items: orgs } = await store.list(OrganizationKind, { namespace: systemNamespace });
  const others = items.filter(({ metadata }) => metadata.name !== name);
  assertZonesWithinQuota(config.quotas, { spec, before, others });
  const repoOwners = new Map(
    others.flatMap((other) => other.spec.repos.map((repo) => [repo.toLowerCase(), other.metadata.name])),
  );
  const domains = await readDomainSettings(store, config.domains);
  const zoneAddress = await readZoneAddress(store, config.zoneAddress);
  const status = items.find(({ metadata }) => metadata.name === name)?.status;
  const running = status?.zones ?? [];
  const volumes = spec.delivery.zones.flatMap((zone, index) => {
    const { appliedSettings } = running.find((current) => current.name === zone.name) ?? {};
    const pointer = `/spec/delivery/zones/${index}/volumes`;
    return volumeViolations(zone.volumes ?? [], pointer, appliedSettings?.persistence);
  });
  const errors = [
    ...zoneNameViolations(spec, { zoneAddress, domains }),
    ...volumes,
    ...sourceViolations(spec, { before, status, organization: orgs.find(({ metadata }) => metadata.name === org) }),
    ...clusterViolations(spec, before, await listClusterNames({ store, config })),
    ...(await registryViolations(store, { org, spec, before })),
    ...sloViolations(spec, config.metricsRetentionMs),
    ...repoViolations(spec, { repoOwners, orgs }),
    ...(await addressViolations(store, { org, spec, before, settings: domains })),
  ];
  if (errors.length > 0)
    throw invalid(
      `The Product "${name}" is invalid: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
      errors,
    );
}

function zoneNameViolations(
  { delivery }: ProductSpec,
  { zoneAddress, domains }: Pick<ReconcileDeps['config'], 'zoneAddress' | 'domains'>,
): FieldError[] {
  const names = delivery.zones.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const pointer = `/spec/delivery/zones/${index}/name`;
    if (names.indexOf(name) < index) return [{ pointer, detail: 'is a duplicate' }];
    const { hostname } = new URL(zoneAddress(name));
    const detail = zoneNameViolation(name, { host: hostname, ownHosts: domains.ownHosts });
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

/** The cluster of a zone cannot change, because the data in its volumes would stay in the previous one. */
function clusterViolations(
  spec: ProductSpec,
  before: ProductSpec | undefined,
  clusters: readonly string[],
): FieldError[] {
  return spec.delivery.zones.flatMap(({ name, cluster }, index) => {
    const pointer = `/spec/delivery/zones/${index}/cluster`;
    const previous = before?.delivery.zones.find((zone) => zone.name === name);
    if (previous && previous.cluster !== cluster)
      return [{ pointer, detail: `cannot change: remove the zone "${name}" and add it again` }];
    if (previous || cluster === undefined || clusters.includes(cluster)) return [];
    const fix = clusters.length > 0 ? `choose one of ${clusters.join(', ')}` : 'leave it out';
    return [{ pointer, detail: `is not a workload cluster of this installation: ${fix}` }];
  });
}

/** A registry that the Product has already may have lost its rights; each build says so. */
async function registryViolations(
  store: ReconcileDeps['store'],
  { org, spec, before }: { org: string; spec: ProductSpec; before?: ProductSpec | undefined },
): Promise<FieldError[]> {
  const { registry: name } = spec.delivery;
  if (name === undefined || name === before?.delivery.registry) return [];
  const pointer = '/spec/delivery/registry';
  const registries = await listRegistries(store, org);
  const found = registries.find((registry) => registry.name === name);
  if (found) {
    const detail = registryPushViolation(found);
    return detail === undefined ? [] : [{ pointer, detail }];
  }
  const names = registries.map((registry) => registry.name).join(', ');
  const fix = names === '' ? 'connect it in Settings, Registries' : `choose one of ${names}`;
  return [{ pointer, detail: `is not a registry of the org: ${fix}, or leave it out` }];
}

type RepoOwnership = { repoOwners: ReadonlyMap<string, string>; orgs: readonly Organization[] };

/**
 * A repo belongs to one Product, so that each of its runs does too. A gitops repo belongs to none: agents and members
 * would write to production without a promotion.
 */
function repoViolations({ repos }: ProductSpec, { repoOwners, orgs }: RepoOwnership): FieldError[] {
  const lowerCase = repos.map((repo) => repo.toLowerCase());
  return lowerCase.flatMap((repo, index) => {
    const pointer = `/spec/repos/${index}`;
    if (lowerCase.indexOf(repo) < index) return [{ pointer, detail: 'is a duplicate' }];
    if (isGitopsRepo(repo, orgs))
      return [{ pointer, detail: 'is the gitops repo of an org, which only promotions change: choose another repo' }];
    const owner = repoOwners.get(repo);
    return owner === undefined ? [] : [{ pointer, detail: `already belongs to the Product "${owner}"` }];
  });
}
