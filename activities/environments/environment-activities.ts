import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../src/defined.ts';
import { ServiceError } from '../../src/errors.ts';
import type { ZoneSettings } from '../../src/rules/environments/settings.ts';
import { buildProductChart, withZoneAddress } from '../../src/rules/environments/zone-chart.ts';
import type { ZoneStatePatch } from '../../src/rules/environments/zone-state.ts';
import { getPromotionPolicy } from '../../src/rules/products/default-zones.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { readInstallationImages } from '../../src/store/image-registry.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import { getDesiredSettings } from '../../src/store/zone-settings.ts';
import { assertPromotable } from './assert-promotable.ts';
import type { EnvironmentDeps, ZoneRef } from './environment-deps.ts';
import {
  closePromotion,
  mergePromotion,
  mergeZoneSettings,
  type Promotion,
  proposeChart,
  type SettingsChange,
} from './gitops.ts';
import { closeRemoval, removeChart } from './gitops-removal.ts';
import type { HealthOutcome } from './health.ts';
import { type PromotionRecord, recordPromotionStatus } from './record-promotion.ts';
import { ignoreUnreachableRepo, removeZoneResources, type RemoveZoneInput } from './remove-zone.ts';
import { runSmokeCheck } from './run-smoke-check.ts';
import { saveZoneHosts } from './save-zone-hosts.ts';
import type { SmokeCheckOutcome } from './smoke-check.ts';
import { waitForZoneHealth, type WaitForHealthInput } from './wait-for-zone-health.ts';
import { createZonePreparation, type Outage, toProductRef } from './zone-preparation.ts';
import { isZoneDeployed, isZoneDesired, recordZoneStatus } from './zone-status.ts';

type SettingsWrite = ZoneRef & Pick<SettingsChange, 'generation' | 'proposal'>;
export type ZoneFacts = { requiresApproval: boolean; running: { release: string; version: string } | undefined };

/** Returns an outage of the code host instead of throwing it, so that people see what the zone waits for. */
async function orCodehostOutage<T>(write: () => Promise<T>): Promise<T | Outage> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason !== 'codehost-unreachable') throw error;
    return { outcome: 'blocked', message: error.message, needsPerson: false, outage: 'codehost' };
  }
}

export function createEnvironmentActivities(deps: EnvironmentDeps) {
  const { store, codehost, argoCdNamespace, now } = deps;
  const zones = createZonePreparation(deps);
  const { getZoneSpec, toAddress, getGitopsRepo, tryPrepareNamespace, applyApplication } = zones;

  const buildChart = async (product: string) =>
    buildProductChart(withZoneAddress(deps.zoneChart, await toAddress('{zone}')), product);

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
      return await orCodehostOutage(async () => {
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
      });
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
      return await orCodehostOutage(async () => {
        const host = await codehost.forOrg(ref.org);
        if (!isDeployed) await closeRemoval(host, change);
        const result = await writeUntilCurrent(
          ref,
          async (settings) => await mergeZoneSettings(host, { ...change, settings }),
        );
        if (result.outcome !== 'promoted') return result;
        await applyApplication(ref);
        return result;
      });
    },

    /** Patches the status of a zone; `null` removes a field. */
    recordZoneState: async ({ patch, ...ref }: ZoneRef & { patch: ZoneStatePatch }): Promise<void> => {
      await recordZoneStatus(store, ref, patch);
    },

    waitForZoneHealth: async (input: WaitForHealthInput): Promise<HealthOutcome> =>
      await waitForZoneHealth({ deps, zones }, input),

    runSmokeCheck: async (input: ZoneRef & { intervalMs: number }): Promise<SmokeCheckOutcome> =>
      await runSmokeCheck({ deps, zones }, input),

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
