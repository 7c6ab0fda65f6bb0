import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { ApplicationKind, type Application } from '../../src/kinds/argo-cd.ts';
import { PodKind } from '../../src/kinds/kubernetes.ts';
import { describePod } from '../../src/rules/environments/describe-workload.ts';
import type { HealthVerdict } from '../../src/rules/environments/judge-health.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import { waitForObject } from '../wait-for-object.ts';

export type HealthOutcome =
  | { outcome: 'healthy'; healthyAt: string }
  /** Without a fix, the app itself has failed. */
  | { outcome: 'failed'; message: string; fix?: string };

/** A degraded status that lasts this long is about our version, even when no other status was observed before. */
const degradedGracePeriodMs = 15_000;
/** The controller may judge an Application by an older state of its project, which it has read a moment later. */
const refusalGracePeriodMs = 5_000;
const refusalRetryDelayMs = 1_000;
/** The controller may have compared the Application with an older revision, and reads the repo every few minutes only. */
const defaultRefreshIntervalMs = 10_000;
/** The controller and the app may have been stopped together with the service, and start again with it. */
const lateStartGracePeriodMs = 60_000;

/** Returns when a deployment has failed; a watch that starts late, after an outage, still has time to read its health. */
export function toHealthDeadline(
  { mergedAt, timeoutMs }: { mergedAt: string; timeoutMs: number },
  startedAtMs: number,
): number {
  return Math.max(Date.parse(mergedAt) + timeoutMs, startedAtMs + Math.min(timeoutMs, lateStartGracePeriodMs));
}

/** Creates a check whether a revision is our commit or contains it; remembers the result for each revision. */
export async function createRevisionCheck(
  codehost: Codehost,
  org: string,
  { repo, commit }: { repo: string; commit: string },
) {
  const host = await codehost.forOrg(org);
  const results = new Map<string, boolean>([[commit, true]]);
  return async (revision: string | undefined): Promise<boolean> => {
    if (revision === undefined) return false;
    // A revision from before the repo was rewritten, and one that was just pushed, may have no comparison.
    const result = results.get(revision) ?? (await host.isAncestor(repo, commit, revision).catch(ignoreNotFound));
    if (result !== undefined) results.set(revision, result);
    return result ?? false;
  };
}

type ZoneRef = { org: string; product: string; zone: string };
type ZoneReads = { store: Store; cluster: Pick<Store, 'find' | 'list'> | undefined };

/** Adds the reason of a pod that is not ready, because the Application only says that something is degraded. */
export async function explainDegraded(
  reads: ZoneReads,
  ref: ZoneRef,
  { message }: { message: string },
): Promise<string> {
  const podReason = await findNotReadyReason(reads, ref).catch((error: unknown) => {
    // The health is known without the pods of a cluster that does not respond.
    if (!isServiceError(error, 'unavailable')) throw error;
    return undefined;
  });
  return podReason === undefined ? message : `${message.replace(/\.$/, '')}: ${podReason}`;
}

async function findNotReadyReason({ store, cluster }: ZoneReads, ref: ZoneRef): Promise<string | undefined> {
  if (!cluster || (await getZoneNamespaceState(store, ref, cluster)) !== 'own') return undefined;
  const { items } = await cluster.list(PodKind, { namespace: ref.zone });
  return items.flatMap((pod) => describePod(pod).notReadyReason ?? [])[0];
}

type HealthDeps = { store: Store; healthRecheckDelayMs: number; refreshIntervalMs?: number; now: () => Date };
type HealthWatch = {
  input: { org: string; zone: string };
  judge: (application: Application) => Promise<HealthVerdict>;
  /** Runs when the Application does not exist. */
  onMissing: () => Promise<void>;
  /** Makes the controller read the repo and judge the Application again. */
  refresh: () => Promise<void>;
  deadline: number;
  signal: AbortSignal;
};

/** Watches an Application until it is healthy in two consecutive reads, has failed, or the deadline has passed. */
export async function waitUntilHealthy(
  { store, healthRecheckDelayMs, refreshIntervalMs = defaultRefreshIntervalMs, now }: HealthDeps,
  { input, judge, onMissing, refresh, deadline, signal }: HealthWatch,
): Promise<HealthOutcome> {
  const ref = { namespace: orgNamespace(input.org), name: input.zone };
  let hasProgressed = false;
  let degradedSince: number | undefined;
  let refusedSince: number | undefined;
  let lastMessage = 'the controller has not reported on the zone yet';
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, deadline - Date.now()))]);
  const toOutcome = async (application: Application): Promise<HealthOutcome | undefined> => {
    const verdict = await judge(application);
    if (verdict.state === 'failed') return { outcome: 'failed', message: verdict.message };
    if (verdict.state === 'refused') {
      refusedSince ??= Date.now();
      const { message, fix } = verdict;
      if (Date.now() - refusedSince > refusalGracePeriodMs)
        return { outcome: 'failed', message, ...(fix !== undefined && { fix }) };
      await sleep(refusalRetryDelayMs, undefined, { signal: timeout });
      await refresh();
    } else refusedSince = undefined;
    if (verdict.state === 'degraded') {
      degradedSince ??= Date.now();
      if (hasProgressed || Date.now() - degradedSince > degradedGracePeriodMs)
        return { outcome: 'failed', message: verdict.message };
    }
    if (verdict.state === 'waiting') {
      degradedSince = undefined;
      hasProgressed ||= application.status?.health?.status === 'Progressing';
    }
    lastMessage = verdict.state === 'healthy' ? lastMessage : verdict.message;
    if (verdict.state !== 'healthy') return undefined;
    await sleep(healthRecheckDelayMs, undefined, { signal: timeout });
    const current = await store.find(ApplicationKind, ref);
    const secondVerdict = current && (await judge(current));
    return secondVerdict?.state === 'healthy' ? { outcome: 'healthy', healthyAt: now().toISOString() } : undefined;
  };
  const refreshing = setInterval(() => void refresh().catch(() => undefined), refreshIntervalMs);
  try {
    return await waitForObject(store, ApplicationKind, { ...ref, signal: timeout, judge: toOutcome, onMissing });
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    return { outcome: 'failed', message: `The zone was not healthy in time: ${lastMessage}.` };
  } finally {
    clearInterval(refreshing);
  }
}
