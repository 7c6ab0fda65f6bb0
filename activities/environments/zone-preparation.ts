import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { ZoneCluster } from '../../src/integrations/telemetry/zone-cluster.ts';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import { isDeleting, orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { readInstallationImages } from '../../src/store/image-registry.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import { listRegistries } from '../../src/store/registries.ts';
import { saveGitopsCredentials } from '../codehost/git-credentials.ts';
import { ensureApplication, refreshApplication } from './application.ts';
import type { EnvironmentDeps, ZoneRef } from './environment-deps.ts';
import { gitopsRepoDescription } from './gitops.ts';
import { ensureOrgProject } from './org-project.ts';
import { savePullSecret, toPullConfig } from './registry-credentials.ts';
import { ensureOwnNamespace, ensureZoneNamespace } from './zone-namespace.ts';
import { listZoneRepositories } from './zone-repositories.ts';

export const toProductRef = ({ org, product }: Pick<ZoneRef, 'org' | 'product'>) => ({
  namespace: orgNamespace(org),
  name: product,
});

/** The code host does not respond, or the cluster of the zone does not, or the service has no access to that. */
export type Outage = { outcome: 'blocked'; message: string; needsPerson: false; outage: 'cluster' | 'codehost' };
export type ZonePreparation = ReturnType<typeof createZonePreparation>;

/** Reads what a zone is made of, and prepares the namespace and the Application that its pods run in. */
export function createZonePreparation(deps: EnvironmentDeps) {
  const { store, codehost } = deps;
  const { argoCdNamespace, network, hasGateway = false } = deps;

  const getZoneSpec = async (ref: ZoneRef): Promise<ZoneSpec> => {
    const { spec } = await store.get(ProductKind, toProductRef(ref));
    const zone = spec.delivery.zones.find(({ name }) => name === ref.zone);
    if (!zone)
      throw new ServiceError(
        'zone-missing',
        `The Product "${ref.product}" no longer has the zone "${ref.zone}". Add the zone again, or cancel the Release.`,
      );
    return zone;
  };

  /** Every use reads the platform domain, which a platform admin can change. */
  const toAddress = async (zone: string): Promise<string> => (await readZoneAddress(store, deps.zoneAddress))(zone);

  const getGitopsRepo = async (org: string): Promise<string> =>
    (await store.get(OrganizationKind, { namespace: systemNamespace, name: org })).spec.gitopsRepo;

  const getWorkloadCluster = async (name: string): Promise<ZoneCluster> => {
    const cluster = await deps.workloadClusters.find(name);
    if (cluster) return cluster;
    throw new ServiceError(
      'cluster-unavailable',
      `The service has no access to the cluster "${name}", where the zone runs. A platform admin adds clusters in the settings.`,
    );
  };

  /** Creates the namespace of a zone with what its pods need. Throws when the one with its name belongs to another owner. */
  const prepareNamespace = async (ref: ZoneRef, nextRepository?: string): Promise<void> => {
    const product = await store.get(ProductKind, toProductRef(ref));
    const { cluster, access = 'public' } = product.spec.delivery.zones.find(({ name }) => name === ref.zone) ?? {};
    const owner = { ...ref, uid: product.metadata.uid };
    if (cluster !== undefined) {
      return await ensureOwnNamespace((await getWorkloadCluster(cluster)).objects, owner);
    }
    await ensureZoneNamespace(store, owner, { network, access });
    const { registry, imageRepository } = await readInstallationImages(store, deps);
    const installation = imageRepository(ref.org, ref.product);
    const current = await listZoneRepositories(store, product, { zone: ref.zone, installation });
    const repositories = nextRepository === undefined ? current : [...current, nextRepository];
    const registries = await listRegistries(store, ref.org);
    await savePullSecret(store, ref.zone, toPullConfig(registry, { registries, repositories }));
  };

  const toOutage = (message: string): Outage => ({
    outcome: 'blocked',
    message,
    needsPerson: false,
    outage: 'cluster',
  });

  /** Finds out whether the cluster still deletes the namespace, in which nothing can be created then. */
  const isNamespaceDeleting = async (ref: ZoneRef): Promise<boolean> => {
    const namespace = await store.find(NamespaceKind, { namespace: '', name: ref.zone });
    return namespace !== undefined && isDeleting(namespace) && (await getZoneSpec(ref)).cluster === undefined;
  };

  /** Returns an outage of the zone's cluster instead of throwing it, so that people see what the zone waits for. */
  const tryPrepareNamespace = async (ref: ZoneRef, nextRepository?: string): Promise<Outage | undefined> => {
    if (await isNamespaceDeleting(ref))
      return toOutage(
        `The namespace "${ref.zone}" is being deleted, and the zone gets a new one when it is gone. Ask a platform admin what keeps it.`,
      );
    try {
      await prepareNamespace(ref, nextRepository);
      return undefined;
    } catch (error) {
      const { cluster } = await getZoneSpec(ref);
      if (cluster === undefined || !isServiceError(error, 'unavailable')) throw error;
      return toOutage(error.message);
    }
  };

  /** The namespace and the project come first, because they decide what the Application may deploy and to which namespace. */
  const applyApplication = async (ref: ZoneRef): Promise<void> => {
    const { org, zone } = ref;
    // The namespace of a zone with files exists, so an outage of its cluster must not keep its health from being judged.
    await tryPrepareNamespace(ref);
    const product = await store.get(ProductKind, toProductRef(ref));
    const host = await codehost.forOrg(org);
    const repo = await getGitopsRepo(org);
    const { cloneUrl: repoUrl, defaultBranch: branch } = await host.ensureRepository(repo, gitopsRepoDescription);
    await ensureOrgProject(store, { org, zone, repoUrl, argoCdNamespace, hasGateway });
    await saveGitopsCredentials(store, host, { org, repo, argoCdNamespace });
    await ensureApplication(store, { org, zone, product, repoUrl, branch });
    await refreshApplication(store, ref);
  };

  return { getZoneSpec, toAddress, getGitopsRepo, tryPrepareNamespace, applyApplication };
}
