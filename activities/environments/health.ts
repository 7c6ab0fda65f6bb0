import { setTimeout as sleep } from 'node:timers/promises';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { PodKind } from '../../src/rules/environments/cluster-kinds.ts';
import { ApplicationKind, type Application } from '../../src/rules/environments/delivery-kinds.ts';
import { describePod } from '../../src/rules/environments/describe-pods.ts';
import type { judgeHealth } from '../../src/rules/environments/judge-health.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { untilSeen } from '../until-seen.ts';

export type HealthOutcome = { outcome: 'healthy'; healthyAt: string } | { outcome: 'failed'; why: string };

/** A degraded report that stays this long is about our version, even when nothing else was seen in between. */
const degradedForMs = 15_000;

/** Whether a revision is our commit or comes after it. */
export async function revisionCheck(
  codehost: Codehost,
  org: string,
  { repo, commit }: { repo: string; commit: string },
) {
  const host = await codehost.forOrg(org);
  const known = new Map<string, boolean>([[commit, true]]);
  const containsOurs = async (revision: string | undefined): Promise<boolean> => {
    if (revision === undefined) return false;
    const answer = known.get(revision) ?? (await host.isAncestor(repo, commit, revision));
    known.set(revision, answer);
    return answer;
  };
  return containsOurs;
}

/** The controller says that something is wrong; what, its pods say. */
export async function whyDegraded(store: Store, zone: string, { why }: { why: string }): Promise<string> {
  const { items } = await store.list(PodKind, { namespace: zone });
  const [reason] = items.flatMap((pod) => describePod(pod).whyNotRunning ?? []);
  return reason === undefined ? why : `${why.replace(/\.$/, '')}: ${reason}`;
}

type HealthDeps = { store: Store; settleMs: number; now: () => Date };
type HealthWatch = {
  input: { org: string; zone: string };
  judge: (application: Application) => Promise<ReturnType<typeof judgeHealth>>;
  /** Somebody took the Application away. */
  onGone: () => Promise<void>;
  giveUpAt: number;
  signal: AbortSignal;
};

/** Watches an Application until it is healthy twice in a row, has failed, or its time is over. */
export async function untilHealthy(
  { store, settleMs, now }: HealthDeps,
  { input, judge, onGone, giveUpAt, signal }: HealthWatch,
): Promise<HealthOutcome> {
  const ref = { namespace: orgNamespace(input.org), name: input.zone };
  let sawOurs = false;
  let degradedSince: number | undefined;
  let why = 'the controller has not seen the zone yet';
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, giveUpAt - Date.now()))]);
  const answer = async (application: Application): Promise<HealthOutcome | undefined> => {
    const verdict = await judge(application);
    if (verdict.state === 'failed') return { outcome: 'failed', why: verdict.why };
    if (verdict.state === 'degraded') {
      degradedSince ??= Date.now();
      if (sawOurs || Date.now() - degradedSince > degradedForMs) return { outcome: 'failed', why: verdict.why };
    }
    if (verdict.state === 'waiting') {
      degradedSince = undefined;
      sawOurs ||= application.status?.health?.status === 'Progressing';
    }
    why = verdict.state === 'healthy' ? why : verdict.why;
    if (verdict.state !== 'healthy') return undefined;
    await sleep(settleMs, undefined, { signal: deadline });
    const found = await store.find(ApplicationKind, ref);
    const again = found && (await judge(found));
    return again?.state === 'healthy' ? { outcome: 'healthy', healthyAt: now().toISOString() } : undefined;
  };
  try {
    return await untilSeen(store, ApplicationKind, { ...ref, signal: deadline, judge: answer, onGone });
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    return { outcome: 'failed', why: `Not healthy in time: ${why}.` };
  }
}
