import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../src/defined.ts';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import type { WorkloadClusters, ZoneCluster } from '../../src/integrations/telemetry/zone-cluster.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import type { Application } from '../../src/kinds/argo-cd.ts';
import { gitopsRepoViolation } from '../../src/rules/environments/gitops-access.ts';
import { judgeHealth } from '../../src/rules/environments/judge-health.ts';
import type { NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import type { ZoneSettings } from '../../src/rules/environments/settings.ts';
import { buildProductChart, type ChartFiles, withZoneAddress } from '../../src/rules/environments/zone-chart.ts';
import type { ZoneStatePatch } from '../../src/rules/environments/zone-state.ts';
import { getPromotionPolicy } from '../../src/rules/products/default-zones.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import type { InstallationImages } from '../../src/rules/registries/image-registry.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { readInstallationImages } from '../../src/store/image-registry.ts';
import { readDomainSettings, readZoneAddress } from '../../src/store/installation.ts';
import { listRegistries } from '../../src/store/registries.ts';
import { getDesiredSettings } from '../../src/store/zone-settings.ts';
import { saveGitopsCredentials } from '../codehost/git-credentials.ts';
import { assertPromotable, type PromotableDeps } from './assert-promotable.ts';
import { ensureApplication, refreshApplication } from './application.ts';
import {
  closePromotion,
  gitopsRepoDescription,
  mergePromotion,
  mergeZoneSettings,
  type Promotion,
  proposeChart,
  type SettingsChange,
} from './gitops.ts';
import { closeRemoval, removeChart } from './gitops-removal.ts';
import {
  createRevisionCheck,
  explainDegraded,
  type HealthOutcome,
  toHealthDeadline,
  waitUntilHealthy,
} from './health.ts';
import { ensureOrgProject } from './org-project.ts';
import { recordGitopsAccess } from './record-gitops-access.ts';
import { type PromotionRecord, recordPromotionStatus } from './record-promotion.ts';
import { savePullSecret, toPullConfig } from './registry-credentials.ts';
import { ignoreUnreachableRepo, removeZoneResources, type RemoveZoneInput } from './remove-zone.ts';
import type { SiteScope } from './resolve-site.ts';
import { checkAddress } from './check-address.ts';
import { checkService } from './check-service.ts';
import { saveZoneHosts } from './save-zone-hosts.ts';
import { checkUrl, type SmokeCheckOutcome } from './smoke-check.ts';
import { ensureOwnNamespace, ensureZoneNamespace } from './zone-namespace.ts';
import { listZoneRepositories } from './zone-repositories.ts';
import { isZoneDeployed, isZoneDesired, recordZoneStatus } from './zone-status.ts';

export type EnvironmentDeps = PromotableDeps &
  InstallationImages & {
    codehost: Codehost;
    zoneAddress: (zone: string) => string;
    domains: DomainSettings;
    zoneService: (product: string, zone: string) => string;
    allowedInside: SiteScope['allowedInside'];
    workloadClusters: WorkloadClusters;
    zoneChart: ChartFiles;
    argoCdNamespace: string;
    network: NetworkSettings;
    /** Whether a Gateway serves the zones, instead of an Ingress controller. */
    hasGateway?: boolean;
    /** The delay between the two reads that must both be healthy. */
    healthRecheckDelayMs: number;
    now: () => Date;
  };

export type ZoneRef = { org: string; product: string; zone: string };
type SettingsWrite = ZoneRef & Pick<SettingsChange, 'generation' | 'proposal'>;
export type ZoneFacts = { requiresApproval: boolean; running: { release: string; version: string } | undefined };
/** The cluster of the zone does not respond, or the service has no access to it. */
export type ClusterOutage = { outcome: 'blocked'; message: string; needsPerson: false; isOutage: true };
type WaitForHealthInput = ZoneRef & { digest: string; gitopsCommit: string; mergedAt: string; timeoutMs: number };

/** Applies to zones that set no time limit for the smoke check. */
const defaultSmokeCheckSeconds = 60;

export function createEnvironmentActivities(deps: EnvironmentDeps) {
  const { store, codehost, zoneService, healthRecheckDelayMs, now } = deps;
  const { argoCdNamespace, network, hasGateway = false } = deps;
  const toProductRef = ({ org, product }: ZoneRef) => ({ namespace: orgNamespace(org), name: product });

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

  const buildChart = async (product: string) =>
    buildProductChart(withZoneAddress(deps.zoneChart, await toAddress('{zone}')), product);

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

  /** Returns an outage of the zone's cluster instead of throwing it, so that people see what the zone waits for. */
  const tryPrepareNamespace = async (ref: ZoneRef, nextRepository?: string): Promise<ClusterOutage | undefined> => {
    try {
      await prepareNamespace(ref, nextRepository);
      return undefined;
    } catch (error) {
      const { cluster } = await getZoneSpec(ref);
      if (cluster === undefined || !isServiceError(error, 'unavailable')) throw error;
      return { outcome: 'blocked', message: error.message, needsPerson: false, isOutage: true };
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

  const getCurrentSettings = async (ref: ZoneRef): Promise<ZoneSettings> =>
    await getDesiredSettings(store, {
      org: ref.org,
      zone: await getZoneSpec(ref),
      address: await toAddress(ref.zone),
      domains: await readDomainSettings(store, deps.domains),
    });

  /** Lets routes of the zone have these hosts before a commit names them; the policy applies in the cluster of the service. */
  const admitHosts = async (ref: ZoneRef, { cluster, ingress }: ZoneSettings): Promise<void> => {
    if (cluster === undefined) await saveZoneHosts(store, ref.zone, ingress.hosts);
  };

  /** Repeats the write when the settings changed meanwhile, because that change found no applied settings to replace. */
  const writeUntilCurrent = async <T extends { outcome: string }>(
    ref: ZoneRef,
    write: (settings: ZoneSettings) => Promise<T>,
  ): Promise<T> => {
    for (;;) {
      const settings = await getCurrentSettings(ref);
      await admitHosts(ref, settings);
      const result = await write(settings);
      if (result.outcome !== 'promoted' && result.outcome !== 'no-release') return result;
      await recordZoneStatus(store, ref, { appliedSettings: settings });
      if (isDeepStrictEqual(settings, await getCurrentSettings(ref))) return result;
    }
  };

  return {
    readZone: async (ref: ZoneRef): Promise<ZoneFacts> => {
      const product = await store.find(ProductKind, toProductRef(ref));
      const zone = product?.spec.delivery.zones.find(({ name }) => name === ref.zone);
      const { release, version } = product?.status?.zones?.find(({ name }) => name === ref.zone) ?? {};
      return {
        requiresApproval: zone !== undefined && getPromotionPolicy(ref.product, zone) === 'after-approval',
        running: release && version ? { release, version } : undefined,
      };
    },

    isZoneDesired: async (ref: ZoneRef): Promise<boolean> => await isZoneDesired(store, ref),

    recordPromotion: async (record: PromotionRecord): Promise<void> =>
      await recordPromotionStatus(store, record, { address: await toAddress(record.zone), at: now().toISOString() }),

    /** Merges the Release into the zone's values file; a retry returns the outcome of the earlier merge. */
    writePromotion: async (promotion: Omit<Promotion, 'repo' | 'settings' | 'image' | 'chart'>) => {
      const zone = await getZoneSpec(promotion);
      await assertPromotable(deps, promotion, zone);
      const { status } = await store.get(ReleaseKind, {
        namespace: orgNamespace(promotion.org),
        name: promotion.release,
      });
      // A Product may have changed its registry since the build.
      const image =
        status?.imageRepository ??
        (await readInstallationImages(store, deps)).imageRepository(promotion.org, promotion.product);
      const outage = await tryPrepareNamespace(promotion, image);
      if (outage) return outage;
      const host = await codehost.forOrg(promotion.org);
      const repo = await getGitopsRepo(promotion.org);
      const chart = await buildChart(promotion.product);
      if (!(await isZoneDeployed(store, promotion))) await closeRemoval(host, { ...promotion, repo });
      const result = await writeUntilCurrent(
        promotion,
        async (settings) => await mergePromotion(host, { ...promotion, repo, settings, image, chart }),
      );
      if (result.outcome !== 'promoted') return result;
      await recordZoneStatus(store, promotion, { imageRepository: image });
      await proposeChart(host, { ...promotion, repo, chart });
      await applyApplication(promotion);
      return result;
    },

    /** Closes the pull request of a promotion that was given up. */
    closePromotionPullRequest: async (promotion: ZoneRef & { version: string }): Promise<void> => {
      const repo = await getGitopsRepo(promotion.org);
      await closePromotion(await codehost.forOrg(promotion.org), { ...promotion, repo });
    },

    /** Writes the current settings of the Product's spec into the values file of a zone. */
    writeZoneSettings: async ({ generation, proposal, ...ref }: SettingsWrite) => {
      const outage = await tryPrepareNamespace(ref);
      if (outage) return outage;
      const chart = await buildChart(ref.product);
      const isDeployed = await isZoneDeployed(store, ref);
      const repo = await getGitopsRepo(ref.org);
      const change = { ...ref, generation, chart, isDeployed, repo, ...defined({ proposal }) };
      const host = await codehost.forOrg(ref.org);
      if (!isDeployed) await closeRemoval(host, change);
      const result = await writeUntilCurrent(
        ref,
        async (settings) => await mergeZoneSettings(host, { ...change, settings }),
      );
      if (result.outcome !== 'promoted') return result;
      await applyApplication(ref);
      return result;
    },

    /** Patches the status of a zone; `null` removes a field. */
    recordZoneState: async ({ patch, ...ref }: ZoneRef & { patch: ZoneStatePatch }): Promise<void> => {
      await recordZoneStatus(store, ref, patch);
    },

    /** Waits until the controller has reported our commit with our digest as synced and healthy in two reads. */
    waitForZoneHealth: async (input: WaitForHealthInput): Promise<HealthOutcome> => {
      const spec = await getZoneSpec(input);
      const isRevisionSynced = await createRevisionCheck(codehost, input.org, {
        repo: await getGitopsRepo(input.org),
        commit: input.gitopsCommit,
      });
      const { cluster: name } = spec;
      const judge = async ({ status, metadata }: Application) => {
        await recordGitopsAccess(store, input, { violation: gitopsRepoViolation(status), now });
        const verdict = judgeHealth(metadata.deletionTimestamp === undefined ? status : undefined, {
          digest: input.digest,
          replicas: spec.replicas ?? 1,
          mergedAtMs: Date.parse(input.mergedAt),
          isRevisionSynced: await isRevisionSynced(status?.sync?.revision),
        });
        if (verdict.state !== 'degraded') return verdict;
        const cluster = name === undefined ? store : (await deps.workloadClusters.find(name))?.objects;
        return { ...verdict, message: await explainDegraded({ store, cluster }, input, verdict) };
      };
      await applyApplication(input);
      // A person may have deleted the Application.
      const onMissing = async (): Promise<void> => {
        if (await isZoneDesired(store, input)) await applyApplication(input);
      };
      const refresh = async (): Promise<void> => await refreshApplication(store, input);
      const deadline = toHealthDeadline(input, Date.now());
      return await waitUntilHealthy(
        { store, healthRecheckDelayMs, now },
        { input, judge, onMissing, refresh, deadline, signal: Context.current().cancellationSignal },
      );
    },

    /**
     * Requests the app until it responds without an error, or the time limit of the zone has passed. Without a URL of
     * its own, the Service is checked: an address may wait for DNS and for its certificate long after the app is ready.
     */
    runSmokeCheck: async (input: ZoneRef & { intervalMs: number }): Promise<SmokeCheckOutcome> => {
      const { verify, replicas, access = 'public', cluster } = await getZoneSpec(input);
      const [address, service] = [await toAddress(input.zone), zoneService(input.product, input.zone)];
      const url = verify?.url ?? service;
      if (replicas === 0) return { outcome: 'passed', message: 'the zone has no replicas', response: { url } };
      const deadline = Date.now() + (verify?.timeoutSeconds ?? defaultSmokeCheckSeconds) * 1_000;
      const signal = Context.current().cancellationSignal;
      const scope = { zoneUrls: [address, service], allowedInside: deps.allowedInside, signal };
      const check = async (): Promise<SmokeCheckOutcome> => {
        if (verify?.url !== undefined || cluster === undefined) return await checkUrl({ url, ...scope });
        const found = await deps.workloadClusters.find(cluster);
        const message = `the service cannot reach the app in the cluster "${cluster}", where it is healthy`;
        if (!found) return { outcome: 'passed', message, response: { url } };
        return await checkService(found, { namespace: input.zone, name: input.product, url }, signal);
      };
      for (;;) {
        const result = await check();
        if (result.outcome === 'passed' && access !== 'none')
          await recordZoneStatus(store, input, { addressCheck: await checkAddress({ url: address, ...scope, now }) });
        if (result.outcome === 'passed' || Date.now() >= deadline) return result;
        await sleep(input.intervalMs, undefined, { signal });
      }
    },

    removeZone: async (input: RemoveZoneInput): Promise<void> =>
      await removeZoneResources(
        { store, codehost, now, argoCdNamespace },
        { ...input, repo: await getGitopsRepo(input.org) },
      ),

    /** Removes the chart of a deleted Product; it stays when the gitops repo cannot be reached. */
    removeProductChart: async ({ org, product }: Omit<ZoneRef, 'zone'>): Promise<void> =>
      await ignoreUnreachableRepo(async () => {
        const host = await codehost.forOrg(org);
        await removeChart(host, { product, repo: await getGitopsRepo(org) });
      }),
  };
}
