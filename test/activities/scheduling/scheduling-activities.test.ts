import { expect, it } from 'vitest';
import { createSchedulingActivities } from '../../../activities/scheduling/scheduling-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', agentWorkflow: 'upkeep' };

async function createHarness({ enabled = true } = {}) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', scheduling: { enabled, timeZone: 'UTC' } },
  });
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: ref.agentWorkflow },
    spec: {
      enabled: true,
      triggers: [{ type: 'cron', schedule: '0 * * * *' }],
      steps: [{ name: 'approve', type: 'human' }],
    },
  });
  const delivery = { zones: [] };
  for (const [name, repos] of [
    ['one', ['acme/one']],
    ['two', ['acme/two']],
    ['empty', []],
  ] as const)
    await store.create(ProductKind, { metadata: { namespace, name }, spec: { repos: [...repos], delivery } });
  const now = () => new Date(Date.now() + 2 * 60 * 60_000);
  const activities = createSchedulingActivities({ store, now, quotas: loadConfig({}).quotas });
  return { store, activities };
}

it('returns the Products with a repo for the time that is due', async () => {
  const { activities } = await createHarness();
  const { start, next, schedule } = await activities.readSchedule(ref);
  expect(start).toMatchObject({ products: ['one', 'two'], more: false });
  expect(schedule).toContain('0 * * * * (UTC)');
  expect(Date.parse(next ?? '') - Date.parse(start?.due ?? '')).toBe(60 * 60_000);
});

it('continues a pending start after the last started Product', async () => {
  const { activities } = await createHarness();
  const due = '2026-01-01T00:00:00.000Z';
  const { start } = await activities.readSchedule({ ...ref, pendingStart: { due, after: 'one' } });
  expect(start).toEqual({ due, products: ['two'], more: false });
});

it('starts nothing while the scheduling of the org is off', async () => {
  const { activities } = await createHarness({ enabled: false });
  const plan = await activities.readSchedule(ref);
  expect(plan).toMatchObject({ schedule: expect.stringContaining('scheduling is off') });
  expect(plan.start).toBeUndefined();
});

it('records the schedule in the status, and ignores a deleted AgentWorkflow', async () => {
  const { activities, store } = await createHarness();
  const { start, ...plan } = await activities.readSchedule(ref);
  await activities.recordSchedule({ ...ref, plan, ...(start && { started: start.due }) });
  const { status } = await store.get(AgentWorkflowKind, { namespace, name: ref.agentWorkflow });
  expect(status).toEqual({ schedule: plan.schedule, nextScheduledAt: plan.next, lastScheduledAt: start?.due });
  expect((await activities.readSchedule(ref)).start).toBeUndefined();
  await store.delete(AgentWorkflowKind, { namespace, name: ref.agentWorkflow });
  await activities.recordSchedule({ ...ref, plan: {} });
  expect(await activities.readSchedule(ref)).toEqual({ now: expect.any(String) });
});
