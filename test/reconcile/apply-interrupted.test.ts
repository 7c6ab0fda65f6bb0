import { expect, it } from 'vitest';
import { applyInterrupted } from '../../src/reconcile/apply-interrupted.ts';
import { applyingMark } from '../../src/reconcile/applying-mark.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { acceptedGenerationAnnotation, isBeingApplied } from '../../src/rules/conditions.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { createActiveRestore, createReconcileDeps } from './reconcile-fixture.ts';

const savedAt = new Date('2027-01-01T00:00:00Z');
const annotations = { [acceptedGenerationAnnotation]: '1', ...applyingMark(savedAt) };
const shop = { namespace: 'org-acme', name: 'shop' };
const upkeep = { namespace: 'org-acme', name: 'upkeep' };

/** Creates a Product with changed settings, and an AgentWorkflow with a schedule, whose signals were lost. */
async function createInterrupted() {
  const { deps, store, calls } = await createReconcileDeps();
  await store.create(ProductKind, {
    metadata: { ...shop, annotations },
    spec: { repos: [], delivery: { zones: [{ name: 'shop-rc' }] } },
  });
  await store.updateStatus(ProductKind, shop, () => ({
    zones: [{ name: 'shop-rc', appliedSettings: { hosts: [] } as never }],
  }));
  await store.create(AgentWorkflowKind, {
    metadata: { ...upkeep, annotations },
    spec: {
      enabled: true,
      triggers: [{ type: 'cron', schedule: '0 9 * * *' }],
      steps: [{ name: 'look', type: 'human' }],
    },
  });
  const sweepAfter = async (seconds: number): Promise<void> =>
    await applyInterrupted({ ...deps, now: () => new Date(savedAt.getTime() + seconds * 1_000) });
  return { store, calls, sweepAfter };
}

it('applies what a process has left for a minute, once', async () => {
  const { store, calls, sweepAfter } = await createInterrupted();
  await sweepAfter(59);
  expect(calls).toEqual([]);
  await sweepAfter(60);
  expect(calls).toEqual([
    { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-rc', signal: 'applySettings' },
    { type: 'runSchedule', workflowId: 'run-schedule/acme/upkeep', signal: 'scheduleChanged' },
  ]);
  expect(isBeingApplied(await store.get(ProductKind, shop))).toBe(false);
  expect(isBeingApplied(await store.get(AgentWorkflowKind, upkeep))).toBe(false);
  await sweepAfter(120);
  expect(calls).toHaveLength(2);
});

it('signals all schedules of an org whose settings were saved', async () => {
  const { store, calls, sweepAfter } = await createInterrupted();
  const acme = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  await store.replace(OrganizationKind, { ...acme, metadata: { ...acme.metadata, annotations } });
  await sweepAfter(60);
  expect(calls.filter(({ type }) => type === 'runSchedule')).toHaveLength(2);
});

it('leaves them to a restore that writes resources', async () => {
  const { store, calls, sweepAfter } = await createInterrupted();
  await createActiveRestore(store);
  await sweepAfter(60);
  expect(calls).toEqual([]);
});
