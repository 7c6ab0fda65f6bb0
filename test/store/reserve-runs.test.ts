import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { reserveRuns } from '../../src/store/reserve-runs.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

/** Reserves runs of orgs that may have three in progress. */
function createReservations() {
  const store = openTestStore();
  let now = new Date('2026-01-01T00:00:00.000Z');
  return {
    reserve: async (...workflowIds: string[]) => await reserveRuns(store, { org: 'acme', quota: 3, workflowIds, now }),
    reserveFor: async (org: string, workflowIds: string[]) =>
      await reserveRuns(store, { org, quota: 3, workflowIds, now }),
    setPhase: async (workflowId: string, phase: RunPhase, org = 'acme') => {
      const ref = { namespace: `org-${org}`, name: workflowId.toLowerCase() };
      const annotations = { [workflowIdAnnotation]: workflowId };
      const existing = await store.find(AgentWorkflowRunKind, ref);
      if (!existing) await store.create(AgentWorkflowRunKind, { metadata: { ...ref, annotations }, spec: {} as never });
      await store.updateStatus(AgentWorkflowRunKind, ref, () => ({ phase, steps: [] }));
    },
    waitMs: (ms: number) => void (now = new Date(now.getTime() + ms)),
  };
}

it('reserves no more than the quota for concurrent starts', async () => {
  const { reserve } = createReservations();
  const schedules = ['a', 'b', 'c', 'd'].map(async (schedule) => await reserve(`${schedule}1`, `${schedule}2`));
  expect((await Promise.all(schedules)).reduce((sum, reserved) => sum + reserved, 0)).toBe(3);
  expect(await reserve('e')).toBe(0);
});

it('counts what another process has reserved at the same time', async () => {
  const store = openTestStore();
  const now = new Date('2026-01-01T00:00:00.000Z');
  const metadata = { namespace: 'org-acme', name: 'run-reservations' };
  const reservations = JSON.stringify([['one', now.toISOString()]]);
  let isFirst = true;
  const list: Store['list'] = async (...query) => {
    if (isFirst) await store.create(ConfigMapKind, { metadata, data: { reservations } });
    isFirst = false;
    return await store.list(...query);
  };
  expect(await reserveRuns({ ...store, list }, { org: 'acme', quota: 2, workflowIds: ['two', 'three'], now })).toBe(1);
});

it('counts the runs of the org that use workers, and each start once', async () => {
  const { reserve, reserveFor, setPhase } = createReservations();
  expect(await reserve('one')).toBe(1);
  await setPhase('one', 'Pending');
  await setPhase('two', 'Running');
  for (const phase of ['WaitingForPerson', 'NeedsGuidance', 'Succeeded', 'Failed', 'Cancelled'] as const)
    await setPhase(`run-${phase}`, phase);
  await setPhase('elsewhere', 'Running', 'other');
  expect(await reserve('three', 'four')).toBe(1);
  // A repeated start takes no second place, and neither does one whose run is in progress.
  expect(await reserve('three', 'one', 'four')).toBe(2);
  await setPhase('one', 'Succeeded');
  expect(await reserve('four')).toBe(1);
  expect(await reserveFor('other', ['x', 'y', 'z'])).toBe(2);
});

it('frees the place of a start that created no run within a minute', async () => {
  const { reserve, waitMs } = createReservations();
  expect(await reserve('one', 'two', 'three')).toBe(3);
  waitMs(59_999);
  expect(await reserve('four')).toBe(0);
  waitMs(1);
  expect(await reserve('four', 'five', 'six', 'seven')).toBe(3);
});
