import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createRevisionCheck,
  explainDegraded,
  type HealthOutcome,
  toHealthDeadline,
  waitUntilHealthy,
} from '../../../activities/environments/health.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { ApplicationKind, type Application, type ApplicationStatus } from '../../../src/kinds/argo-cd.ts';
import { NamespaceKind, PodKind } from '../../../src/kinds/kubernetes.ts';
import type { HealthVerdict } from '../../../src/rules/environments/judge-health.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'shop-prod' };
const source = { repoURL: 'https://code.test/acme/gitops.git', path: '.', targetRevision: 'main' };
const spec: Application['spec'] = { project: 'org-acme', source, destination: { namespace: 'shop-prod' } };
const at = '2026-01-01T00:00:00.000Z';

type Health = NonNullable<ApplicationStatus['health']>['status'];
/** One report of the controller: what the rule says about it, and what happens once it was judged. */
type Report = { verdict: HealthVerdict; health?: Health; onJudged?: () => Promise<void> | void };

const healthy: Report = { verdict: { state: 'healthy' } };
const waiting: Report = { verdict: { state: 'waiting', message: 'the app is starting' } };
const progressing: Report = { ...waiting, health: 'Progressing' };
const degraded: Report = { verdict: { state: 'degraded', message: 'the app is degraded' } };
const refused: Report = { verdict: { state: 'refused', message: 'the project does not allow it' } };
const fix = 'Allow it in the project.';
const refusedWithFix: Report = { verdict: { state: 'refused', message: 'the project does not allow it', fix } };
const then = (report: Report, onJudged: () => Promise<void> | void): Report => ({ ...report, onJudged });

/** Moves the clock that measures how long a status lasts, not the timers. */
function passSeconds(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

/** Watches an Application whose controller sends these reports, the next one after each judgement. */
async function watchHealth(
  reports: Report[],
  { isMissing = false, timeoutMs = 20_000, refreshIntervalMs = 10_000, signal = new AbortController().signal } = {},
) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = openTestStore();
  const create = async () => void (await store.create(ApplicationKind, { metadata: ref, spec }));
  const calls = { judged: 0, missing: 0, refreshed: 0 };
  const send = async (report: Report | undefined) =>
    await store
      .updateStatus(ApplicationKind, ref, () => ({
        // Differs from the report before, which would not be an event.
        reconciledAt: String(reports.length),
        ...(report?.health && { health: { status: report.health } }),
      }))
      .catch(() => undefined);
  if (!isMissing) {
    await create();
    await send(reports[0]);
  }
  const outcome: Promise<HealthOutcome> = waitUntilHealthy(
    { store, healthRecheckDelayMs: 1, refreshIntervalMs, now: () => new Date(at) },
    {
      input: { org: 'acme', zone: 'shop-prod' },
      judge: async () => {
        calls.judged += 1;
        const report = reports.shift();
        await report?.onJudged?.();
        if (reports.length > 0) setImmediate(() => void send(reports[0]));
        return report?.verdict ?? { state: 'waiting', message: 'nothing more is reported' };
      },
      onMissing: async () => {
        calls.missing += 1;
        if (reports.length > 0) await create();
      },
      refresh: async () => void (calls.refreshed += 1),
      deadline: Date.now() + timeoutMs,
      signal,
    },
  );
  return { store, outcome, calls };
}

it.each([
  ['counts from the merge', 600_000, '00:01:00', '00:10:00'],
  ['leaves a minute to a watch that starts late', 600_000, '00:09:30', '00:10:30'],
  ['leaves a minute to a watch that starts after the end', 600_000, '01:00:00', '01:01:00'],
  ['leaves no more than the whole time', 5_000, '01:00:00', '01:00:05'],
])('has a deadline that %s', (_, timeoutMs, startsAt, deadline) => {
  const toMs = (time: string): number => Date.parse(`2026-01-01T${time}.000Z`);
  expect(toHealthDeadline({ mergedAt: at, timeoutMs }, toMs(startsAt))).toBe(toMs(deadline));
});

describe('waitUntilHealthy', () => {
  it('needs two healthy reads in a row', async () => {
    const { outcome, calls } = await watchHealth([healthy, waiting, progressing, healthy, healthy]);
    expect(await outcome).toEqual({ outcome: 'healthy', healthyAt: at });
    expect(calls).toEqual({ judged: 5, missing: 0, refreshed: 0 });
  });

  it('fails when the rule says so', async () => {
    const { outcome } = await watchHealth([waiting, { verdict: { state: 'failed', message: 'the sync failed' } }]);
    expect(await outcome).toEqual({ outcome: 'failed', message: 'the sync failed' });
  });

  it('fails a degraded app at once if it has progressed before', async () => {
    const { outcome, calls } = await watchHealth([progressing, degraded, healthy, healthy]);
    expect(await outcome).toEqual({ outcome: 'failed', message: 'the app is degraded' });
    expect(calls.judged).toBe(2);
  });

  it('fails an app that stays degraded, because the status may first describe the previous version', async () => {
    const stays = [degraded, then(degraded, () => passSeconds(15)), then(degraded, () => passSeconds(1))];
    const { outcome, calls } = await watchHealth([...stays, healthy, healthy], { timeoutMs: 5_000 });
    expect(await outcome).toEqual({ outcome: 'failed', message: 'the app is degraded' });
    expect(calls.judged).toBe(3);
  });

  it('measures a degraded status from its start after another one', async () => {
    const reports = [degraded, then(waiting, () => passSeconds(20)), degraded];
    const { outcome } = await watchHealth([...reports, healthy, healthy]);
    expect(await outcome).toMatchObject({ outcome: 'healthy' });
  });

  it('asks again when the controller has refused the Application, and fails when it refuses for long', async () => {
    const later = then(waiting, () => passSeconds(10));
    const startedAt = performance.now();
    const accepted = await watchHealth([refused, later, refused, healthy, healthy]);
    expect(await accepted.outcome).toMatchObject({ outcome: 'healthy' });
    expect(accepted.calls.refreshed).toBe(2);
    // It waits for a second before each refresh. Timers may end a moment early.
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    const stays = await watchHealth([refused, then(refused, () => passSeconds(6)), healthy, healthy]);
    expect(await stays.outcome).toEqual({ outcome: 'failed', message: 'the project does not allow it' });
    expect(stays.calls.refreshed).toBe(1);
    const known = await watchHealth([refusedWithFix, then(refusedWithFix, () => passSeconds(6)), healthy, healthy]);
    expect(await known.outcome).toEqual({ outcome: 'failed', message: 'the project does not allow it', fix });
  });

  it('has the controller refresh again and again until it reports', async () => {
    const reports = [waiting];
    const { outcome, calls, store } = await watchHealth(reports, { refreshIntervalMs: 5 });
    await expect.poll(() => calls.refreshed).toBeGreaterThan(2);
    reports.push(healthy, healthy);
    await store.updateStatus(ApplicationKind, ref, () => ({ reconciledAt: 'later' }));
    expect(await outcome).toMatchObject({ outcome: 'healthy' });
    const { refreshed } = calls;
    await sleep(30);
    expect(calls.refreshed).toBe(refreshed);
  });

  it('lets the caller create a missing Application, also one that disappears between the two reads', async () => {
    const { outcome, calls, store } = await watchHealth(
      [then(healthy, async () => await store.delete(ApplicationKind, ref)), healthy, healthy],
      { isMissing: true },
    );
    expect(await outcome).toMatchObject({ outcome: 'healthy' });
    expect(calls).toMatchObject({ missing: 2, judged: 3 });
  });

  it('fails after the deadline with what it waited for last', async () => {
    const missing = await watchHealth([], { isMissing: true, timeoutMs: 20 });
    expect(await missing.outcome).toEqual({
      outcome: 'failed',
      message: 'The zone was not healthy in time: the controller has not reported on the zone yet.',
    });
    // On a busy machine, the first judgement takes seconds.
    for (const timeoutMs of [200, 2_000, 20_000]) {
      const starting = await watchHealth([then(progressing, () => passSeconds(timeoutMs / 1_000))], { timeoutMs });
      const outcome = await starting.outcome;
      if (starting.calls.judged === 0) continue;
      expect(outcome).toEqual({
        outcome: 'failed',
        message: 'The zone was not healthy in time: the app is starting.',
      });
      return;
    }
    expect.unreachable('The report is never judged.');
  });

  it('has no outcome when it is cancelled', async () => {
    const controller = new AbortController();
    const cancelled = then(waiting, () => controller.abort(new Error('cancelled')));
    const { outcome } = await watchHealth([cancelled], { signal: controller.signal });
    await expect(outcome).rejects.toThrow('cancelled');
  });
});

it('knows a revision that is the commit or contains it, and asks the code host once for each', async () => {
  const asked: string[][] = [];
  const isAncestor: OrgCodehost['isAncestor'] = async (...args) => (asked.push(args), args[2] === 'later');
  const codehost = { forOrg: async () => ({ isAncestor }) as OrgCodehost };
  const isSynced = await createRevisionCheck(codehost, 'acme', { repo: 'acme/gitops', commit: 'c1' });
  expect(await isSynced(undefined)).toBe(false);
  expect(await isSynced('c1')).toBe(true);
  expect(asked).toEqual([]);
  for (let time = 0; time < 2; time += 1) {
    expect(await isSynced('later')).toBe(true);
    expect(await isSynced('earlier')).toBe(false);
  }
  expect(asked).toEqual([
    ['acme/gitops', 'c1', 'later'],
    ['acme/gitops', 'c1', 'earlier'],
  ]);
});

it('takes a revision that the code host cannot compare for one without the commit, and compares it again', async () => {
  let isKnown = false;
  const isAncestor: OrgCodehost['isAncestor'] = async () => {
    if (!isKnown) throw new ServiceError('not-found', 'The code host does not have the comparison.');
    return true;
  };
  const codehost = { forOrg: async () => ({ isAncestor }) as OrgCodehost };
  const isSynced = await createRevisionCheck(codehost, 'acme', { repo: 'acme/gitops', commit: 'c1' });
  expect(await isSynced('before the rewrite')).toBe(false);
  isKnown = true;
  expect(await isSynced('before the rewrite')).toBe(true);
});

it('explains a degraded app by its pod, unless the namespace is not its own', async () => {
  const store = openTestStore();
  const zone = { org: 'acme', product: 'shop', zone: 'shop-prod' };
  const explain = async (cluster: typeof store | undefined = store) =>
    await explainDegraded({ store, cluster }, zone, { message: 'The app is degraded.' });
  const { metadata } = await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: [], delivery: { zones: [] } },
  });
  const status = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', message: 'no memory' }],
  };
  const pod = { namespace: 'shop-prod', name: 'shop-1' };
  await store.create(PodKind, { metadata: pod, spec: { containers: [] }, status } as never);
  await store.updateStatus(PodKind, pod, () => status as never);
  expect(await explain()).toBe('The app is degraded.');
  const labels = zoneNamespaceLabels({ ...zone, uid: metadata.uid });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: 'shop-prod', labels } });
  expect(await explain()).toBe('The app is degraded: No node can run the pod: no memory');
  await store.delete(PodKind, pod);
  expect(await explain()).toBe('The app is degraded.');
});

it('does not explain an app in a cluster that the service cannot see', async () => {
  const zone = { org: 'acme', product: 'shop', zone: 'shop-prod' };
  const deps = { store: openTestStore(), cluster: undefined };
  expect(await explainDegraded(deps, zone, { message: 'The app is degraded.' })).toBe('The app is degraded.');
});
