import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import { OrganizationKind, type ZoneSpec, type ZoneStatus, ProductKind } from '../src/rules/catalog/kinds.ts';
import type { Application } from '../src/rules/environments/delivery-kinds.ts';
import { type ChartFiles, productChart } from '../src/rules/environments/zone-chart.ts';
import { type ZoneSettings, zoneSettings } from '../src/rules/environments/zone-values.ts';
import type { ZoneStatePatch } from '../src/rules/environments/zone-state.ts';
import { judgeHealth } from '../src/rules/environments/judge-health.ts';
import { type ReleaseZone, ReleaseKind } from '../src/rules/releases/kinds.ts';
import { type ZonePatch, patchReleaseZone, zoneIsSettled } from '../src/rules/releases/release-status.ts';
import { invalid } from '../src/errors.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';
import { ensureApplication, refreshApplication } from './environments/application.ts';
import { type HealthOutcome, revisionCheck, untilHealthy, whyDegraded } from './environments/health.ts';
import { type CheckOutcome, checkOnce } from './environments/smoke-check.ts';
import { changeZoneStatus, isKept, isWanted } from './environments/zone-status.ts';
import { type Promotion, changeSettings, promote, proposeChart, removeChart } from './environments/gitops.ts';
import { type Removal, removeFromCluster, unlessUnreachable } from './environments/removal.ts';

export type EnvironmentDeps = {
  store: Store;
  codehost: Codehost;
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  imageRepository: (org: string, product: string) => string;
  zoneChart: ChartFiles;
  /** Between the two reads that must both say healthy. */
  settleMs: number;
  now: () => Date;
};

export type ZoneRef = { org: string; product: string; zone: string };
export type ZoneFacts = { asksApproval: boolean; running: { release: string; version: string } | undefined };

/** How long an app may take to answer well where its zone does not say. */
const smokeCheckSeconds = 60;

export function createEnvironmentActivities(deps: EnvironmentDeps) {
  const { store, codehost, zoneAddress, zoneService, imageRepository, zoneChart, settleMs, now } = deps;
  const productRef = ({ org, product }: ZoneRef) => ({ namespace: orgNamespace(org), name: product });
  const zoneSpec = async (ref: ZoneRef): Promise<ZoneSpec> => {
    const { spec } = await store.get(ProductKind, productRef(ref));
    const zone = spec.delivery.zones.find(({ name }) => name === ref.zone);
    if (!zone)
      throw invalid(
        `The Product "${ref.product}" has no zone "${ref.zone}" any more. Add it back, or cancel the Release.`,
      );
    return zone;
  };
  const gitopsRepo = async (org: string): Promise<string> =>
    (await store.get(OrganizationKind, { namespace: systemNamespace, name: org })).spec.gitopsRepo;

  /** Also where somebody has taken it away. */
  const bringApplication = async (ref: ZoneRef): Promise<void> => {
    const host = await codehost.forOrg(ref.org);
    const { cloneUrl, defaultBranch } = await host.ensureRepository(await gitopsRepo(ref.org), gitopsDescription);
    await ensureApplication(store, { ...ref, repoUrl: cloneUrl, branch: defaultBranch });
    await refreshApplication(store, ref);
  };
  const settingsNow = async (ref: ZoneRef) => zoneSettings(await zoneSpec(ref), zoneAddress(ref.zone));
  /**
   * Writes with the settings of now, and again where they have changed by the time it is known what was applied: whoever
   * changed them before saw nothing to apply.
   */
  const withSettings = async <T extends { outcome: string }>(
    ref: ZoneRef,
    write: (settings: ZoneSettings) => Promise<T>,
  ): Promise<T> => {
    for (;;) {
      const settings = await settingsNow(ref);
      const outcome = await write(settings);
      if (outcome.outcome !== 'promoted') return outcome;
      await changeZoneStatus(store, ref, { applied: settings });
      if (isDeepStrictEqual(settings, await settingsNow(ref))) return outcome;
    }
  };

  return {
    readZone: async (ref: ZoneRef): Promise<ZoneFacts> => {
      const product = await store.find(ProductKind, productRef(ref));
      const { arrival } = product?.spec.delivery.zones.find(({ name }) => name === ref.zone) ?? {};
      const { release, version } = product?.status?.zones?.find(({ name }) => name === ref.zone) ?? {};
      return {
        asksApproval: arrival === 'after-approval',
        running: release && version ? { release, version } : undefined,
      };
    },

    /** Writes what happens to a Release in a zone on the Release, and what that makes of the zone on the Product. */
    recordZone: async ({ release, patch, ...ref }: ZoneRef & { release: string; patch: ZonePatch }): Promise<void> => {
      const address = zoneAddress(ref.zone);
      const namespace = orgNamespace(ref.org);
      const { spec, status } = await store.updateStatus(
        ReleaseKind,
        { namespace, name: release },
        (current) => current.status && patchReleaseZone(current.status, ref.zone, { address, ...patch }),
      );
      const entry = status?.zones.find(({ name }) => name === ref.zone);
      if (!entry) return;
      if (!(await isKept(store, ref))) return;
      const isHealthy = patch.phase === 'Healthy';
      const runs = isHealthy ? { release, version: spec.version, commit: spec.commit, digest: status?.digest } : {};
      await store.updateStatus(ProductKind, productRef(ref), (current) => {
        const zones = current.status?.zones ?? [];
        const before = zones.find(({ name }) => name === ref.zone);
        const after: ZoneStatus = {
          ...before,
          name: ref.zone,
          address,
          ...runs,
          ...timesOf(entry, release, isHealthy ? release : before?.release),
        };
        if (after.arriving?.release === release) delete after.arriving;
        if (isHealthy && before?.release !== release) {
          delete after.screenshot;
          delete after.verifiedAt;
        }
        if (!zoneIsSettled(entry.phase)) after.arriving = { release, version: spec.version, phase: entry.phase };
        return { ...current.status, zones: [...zones.filter(({ name }) => name !== ref.zone), after] };
      });
    },

    /** Writes the zone's values file through a pull request that the service merges; done already is done. */
    promoteInGitops: async (promotion: Omit<Promotion, 'repo' | 'settings' | 'image' | 'chart'>) => {
      const host = await codehost.forOrg(promotion.org);
      const repo = await gitopsRepo(promotion.org);
      const image = imageRepository(promotion.org, promotion.product);
      const chart = productChart(zoneChart, promotion.product);
      const outcome = await withSettings(
        promotion,
        async (settings) => await promote(host, { ...promotion, repo, settings, image, chart }),
      );
      if (outcome.outcome === 'refused') return outcome;
      await proposeChart(host, { ...promotion, repo, chart });
      await bringApplication(promotion);
      return outcome;
    },

    /** Writes the settings of the Product's spec into the values file of a zone, whatever runs there. */
    writeZoneSettings: async ({ generation, ...ref }: ZoneRef & { generation: number }) => {
      const chart = productChart(zoneChart, ref.product);
      const change = { ...ref, generation, chart, repo: await gitopsRepo(ref.org) };
      const host = await codehost.forOrg(ref.org);
      const outcome = await withSettings(ref, async (settings) => await changeSettings(host, { ...change, settings }));
      if (outcome.outcome !== 'promoted') return outcome;
      await bringApplication(ref);
      return outcome;
    },

    /** Writes what was decided about a zone; `null` takes a field away. */
    recordZoneState: async ({ patch, ...ref }: ZoneRef & { patch: ZoneStatePatch }): Promise<void> => {
      await changeZoneStatus(store, ref, patch);
    },

    /** Waits for the controller to say twice that our commit, with our digest, is synced and healthy. */
    awaitHealthy: async (
      input: ZoneRef & { digest: string; gitopsCommit: string; mergedAt: string; withinMs: number },
    ): Promise<HealthOutcome> => {
      const spec = await zoneSpec(input);
      const contains = await revisionCheck(codehost, input.org, {
        repo: await gitopsRepo(input.org),
        commit: input.gitopsCommit,
      });
      const judge = async ({ status, metadata }: Application) => {
        const verdict = judgeHealth(metadata.deletionTimestamp === undefined ? status : undefined, {
          digest: input.digest,
          replicas: spec.replicas ?? 1,
          mergedAtMs: Date.parse(input.mergedAt),
          revisionIsOurs: await contains(status?.sync?.revision),
        });
        return verdict.state === 'degraded'
          ? { ...verdict, why: await whyDegraded(store, input.zone, verdict) }
          : verdict;
      };
      await bringApplication(input);
      const onGone = async (): Promise<void> => {
        if (await isWanted(store, input)) await bringApplication(input);
      };
      const giveUpAt = Date.parse(input.mergedAt) + input.withinMs;
      return await untilHealthy(
        { store, settleMs, now },
        { input, judge, onGone, giveUpAt, signal: Context.current().cancellationSignal },
      );
    },

    /** Asks the zone's app until it answers well or its time is over. */
    smokeCheck: async (input: ZoneRef & { everyMs: number }): Promise<CheckOutcome> => {
      const { verify, replicas, access = 'public' } = await zoneSpec(input);
      const usual = access === 'public' ? zoneAddress(input.zone) : zoneService(input.product, input.zone);
      const url = verify?.url ?? usual;
      if (replicas === 0) return { outcome: 'passed', why: 'the zone has no replicas', answer: { url } };
      const own = [zoneAddress(input.zone), zoneService(input.product, input.zone)];
      const giveUpAt = Date.now() + (verify?.withinSeconds ?? smokeCheckSeconds) * 1_000;
      const signal = Context.current().cancellationSignal;
      for (;;) {
        const check = await checkOnce({ url, own, signal });
        if (check.outcome === 'passed' || Date.now() >= giveUpAt) return check;
        await sleep(input.everyMs, undefined, { signal });
      }
    },

    /** In the order that leaves nothing behind, saying what remains for as long as something does. */
    removeZone: async (removal: Removal): Promise<void> =>
      await removeFromCluster({ store, codehost, now }, { ...removal, repo: await gitopsRepo(removal.org) }),

    /** What its zones had in common goes with a Product; files that cannot be reached stay. */
    removeProductChart: async ({ org, product }: Omit<ZoneRef, 'zone'>): Promise<void> =>
      await unlessUnreachable(async () => {
        const host = await codehost.forOrg(org);
        await removeChart(host, { product, repo: await gitopsRepo(org) });
      }),
  };
}

const gitopsDescription = 'What runs in each zone; written by the delivery service through pull requests.';

function timesOf(
  entry: ReleaseZone,
  release: string,
  running: string | undefined,
): Pick<ZoneStatus, 'healthyAt' | 'verifiedAt'> {
  if (release !== running) return {};
  return {
    ...(entry.healthyAt ? { healthyAt: entry.healthyAt } : {}),
    ...(entry.verifiedAt ? { verifiedAt: entry.verifiedAt } : {}),
  };
}
