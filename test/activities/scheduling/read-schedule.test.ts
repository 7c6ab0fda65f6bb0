import { describe, expect, it } from 'vitest';
import { createSchedulingActivities } from '../../../activities/scheduling/scheduling-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', agentWorkflow: 'upkeep' };
const due = '2026-01-01T00:00:00.000Z';

async function createHarness({ withOrg = true, finalizers = [] as string[], orgs = ['acme'], runsPerOrg = 1000 } = {}) {
  const store = openTestStore();
  for (const name of withOrg ? orgs : [])
    await store.create(OrganizationKind, {
      metadata: { namespace: 'service-system', name, finalizers },
      spec: { codehostAccount: name, gitopsRepo: `${name}/gitops`, scheduling: { enabled: true, timeZone: 'UTC' } },
    });
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: ref.agentWorkflow },
    spec: {
      enabled: true,
      triggers: [{ type: 'cron', schedule: '0 * * * *' }],
      steps: [{ name: 'approve', type: 'human' }],
    },
  });
  const addProducts = async (...names: string[]) => {
    for (const name of names)
      await store.create(ProductKind, {
        metadata: { namespace, name },
        spec: { repos: [`acme/${name}`], delivery: { zones: [] } },
      });
  };
  const now = () => new Date('2026-01-01T02:30:00Z');
  const quotas = { ...loadConfig({}).quotas, runsPerOrg };
  return { store, addProducts, ...createSchedulingActivities({ store, now, quotas }) };
}

const start = { ...ref, pendingStart: { due, after: '' } };

describe('readSchedule', () => {
  it('starts nothing until a restore is complete', async () => {
    const { store, addProducts, readSchedule } = await createHarness();
    await addProducts('hello');
    const restore = { namespace: 'service-system', name: 'restore-1' };
    const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
    await store.create(RestoreKind, { metadata: restore, spec });
    for (const phase of ['Restoring', 'Restarting'] as const) {
      await store.updateStatus(RestoreKind, restore, () => ({ phase, startedAt: due }));
      expect(await readSchedule(start)).toEqual({ now: expect.any(String), retryAfterMs: 60_000 });
    }
    await store.updateStatus(RestoreKind, restore, () => ({ phase: 'Succeeded' as const, startedAt: due }));
    expect((await readSchedule(start)).start).toMatchObject({ products: ['hello'] });
  });

  it('starts no run for a Product that is being deleted or was rejected', async () => {
    const { store, addProducts, readSchedule } = await createHarness();
    await addProducts('c', 'a', 'b', 'd');
    await store.updateStatus(ProductKind, { namespace, name: 'b' }, () => ({ deletionMessage: 'by ada' }));
    const condition = { type: 'Accepted', status: 'False' as const, reason: 'Invalid', message: 'No' };
    await store.updateStatus(ProductKind, { namespace, name: 'c' }, () => ({
      conditions: [{ ...condition, observedGeneration: 1, lastTransitionTime: due }],
    }));
    expect((await readSchedule(start)).start).toEqual({ due, products: ['a', 'd'], more: false });
  });

  it.each([
    [500, 500, false],
    [501, 500, true],
  ])('starts the runs of %i Products in parts', async (count, started, more) => {
    const { addProducts, readSchedule } = await createHarness();
    const names = Array.from({ length: count }, (_, at) => `p${String(at).padStart(3, '0')}`);
    await addProducts(...names);
    expect((await readSchedule(start)).start).toEqual({ due, products: names.slice(0, started), more });
  });

  it('starts as many runs as the quota of the org allows, and says why the others wait', async () => {
    const { store, addProducts, readSchedule } = await createHarness({ runsPerOrg: 3 });
    const setPhase = async (name: string, phase: 'Running' | 'Succeeded') =>
      await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
        ...createRunStatus([], due),
        phase,
      }));
    await addProducts('a', 'b', 'c');
    for (const name of ['one', 'two', 'three']) {
      const spec = { agentWorkflow: 'change', product: 'a', startedBy: 'jo', steps: [], roles: {} };
      await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
      await setPhase(name, 'Running');
    }
    expect(await readSchedule(start)).toMatchObject({
      schedule:
        '0 * * * * (UTC); the rest of its runs waits, because the org has reached the limit of 3 runs in progress (QUOTA_RUNS_PER_ORG)',
      start: { due, products: [], more: true, isOverQuota: true },
    });
    await setPhase('one', 'Succeeded');
    await setPhase('two', 'Succeeded');
    expect((await readSchedule(start)).start).toEqual({ due, products: ['a', 'b'], more: true, isOverQuota: true });
    const startRest = async () => await readSchedule({ ...ref, pendingStart: { due, after: 'b' } });
    // The runs that have just started count before they exist.
    expect((await startRest()).start).toEqual({ due, products: [], more: true, isOverQuota: true });
    await setPhase('three', 'Succeeded');
    const rest = await startRest();
    expect(rest).toMatchObject({ schedule: '0 * * * * (UTC)', start: { due, products: ['c'], more: false } });
    expect(rest.start).not.toHaveProperty('isOverQuota');
  });

  it('does not start the rest of the runs of a schedule that was paused meanwhile', async () => {
    const { store, addProducts, readSchedule } = await createHarness();
    await addProducts('a');
    const workflow = await store.get(AgentWorkflowKind, { namespace, name: ref.agentWorkflow });
    await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, enabled: false } });
    expect(await readSchedule(start)).not.toHaveProperty('start');
  });

  it('says the time that it is based on', async () => {
    const { readSchedule } = await createHarness();
    expect(await readSchedule(start)).toMatchObject({
      now: '2026-01-01T02:30:00.000Z',
      next: '2026-01-01T03:00:00.000Z',
    });
  });

  it('has no schedule without the org, or while the org is deleted', async () => {
    const none = { now: '2026-01-01T02:30:00.000Z' };
    const without = await createHarness({ withOrg: false });
    expect(await without.readSchedule(start)).toEqual(none);
    const deleting = await createHarness({ finalizers: ['test/keep'] });
    await deleting.store.delete(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    expect(await deleting.readSchedule(start)).toEqual(none);
  });
});

describe('recordSchedule', () => {
  const readStatus = async ({ store }: Awaited<ReturnType<typeof createHarness>>) =>
    (await store.get(AgentWorkflowKind, { namespace, name: ref.agentWorkflow })).status;

  it('removes a schedule that there is no more, and keeps the last start', async () => {
    const harness = await createHarness();
    await harness.recordSchedule({ ...ref, plan: { schedule: 'hourly', next: due }, started: due });
    expect(await readStatus(harness)).toEqual({ schedule: 'hourly', nextScheduledAt: due, lastScheduledAt: due });
    await harness.recordSchedule({ ...ref, plan: {} });
    expect(await readStatus(harness)).toEqual({ lastScheduledAt: due });
  });
});
