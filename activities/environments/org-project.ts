import {
  type AppProject,
  ApplicationKind,
  AppProjectKind,
  type Destination,
  ownCluster,
} from '../../src/kinds/argo-cd.ts';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { allowsGateway, orgProjectName, orgProjectSpec } from '../../src/rules/environments/org-project.ts';
import { zoneOrgLabel } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

type OrgProject = {
  org: string;
  argoCdNamespace: string;
  /** The clone URL of the gitops repo; the project keeps its source without it. */
  repoUrl?: string;
  /** The zone that is about to be deployed. */
  zone?: string;
  /** Whether a Gateway serves the zones; the project keeps what it allows without it. */
  hasGateway?: boolean;
};

/** Limits the org's Applications to its gitops repo and to the namespaces of its zones. */
export async function ensureOrgProject(store: Store, { argoCdNamespace, ...project }: OrgProject): Promise<void> {
  const { org, repoUrl } = project;
  await applyObject(store, AppProjectKind, {
    ref: { namespace: argoCdNamespace, name: orgProjectName(org) },
    build: async (current) => {
      const sourceRepos = repoUrl === undefined ? (current?.spec.sourceRepos ?? []) : [repoUrl];
      const destinations = [
        ...(await listOwnDestinations(store, org)),
        ...(await listWorkloadDestinations(store, current, project)),
      ];
      const hasGateway = project.hasGateway ?? (current !== undefined && allowsGateway(current));
      return { spec: orgProjectSpec(org, { sourceRepos, destinations, hasGateway }) };
    },
  });
}

/** The labels of a namespace prove whose it is, so the project never covers a namespace of another owner. */
async function listOwnDestinations(store: Store, org: string): Promise<Destination[]> {
  const { items } = await store.list(NamespaceKind, { labels: { [zoneOrgLabel]: org } });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => ({ server: ownCluster, namespace: metadata.name }));
}

/** The namespaces of workload clusters cannot be read; those of existing Applications and of the new zone are covered. */
async function listWorkloadDestinations(
  store: Store,
  current: AppProject | undefined,
  { org, zone }: Pick<OrgProject, 'org' | 'zone'>,
): Promise<Destination[]> {
  const namespace = orgNamespace(org);
  const { items: products } = await store.list(ProductKind, { namespace });
  const desired = products
    .flatMap(({ spec }) => spec.delivery.zones)
    .flatMap(({ name, cluster }) => (cluster === undefined ? [] : [{ name: cluster, namespace: name }]));
  // A removed zone stays covered until its Application is gone, because Argo CD could not delete its objects otherwise.
  const previous = (current?.spec.destinations ?? []).filter(({ name }) => name !== undefined);
  const candidates = new Map([...previous, ...desired].map((destination) => [destination.namespace, destination]));
  if (candidates.size === 0) return [];
  const { items: applications } = await store.list(ApplicationKind, { namespace });
  const used = new Set([zone, ...applications.map(({ metadata }) => metadata.name)]);
  return [...candidates.values()].filter((destination) => used.has(destination.namespace));
}
