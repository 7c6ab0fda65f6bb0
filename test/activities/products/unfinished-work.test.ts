import { expect, it } from 'vitest';
import { listUnfinishedWork } from '../../../activities/products/unfinished-work.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('lists the unfinished runs and Releases of one Product, or of the org', async () => {
  const store = openTestStore();
  const addRun = async (product: string, number: number, phase: RunPhase) => {
    const metadata = { namespace: 'org-acme', name: `change-${product}-${number}` };
    const target = { repo: `acme/${product}`, number };
    const spec = { agentWorkflow: 'change', product, target, startedBy: 'jo', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata, spec });
    await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase, steps: [] }) as never);
  };
  await addRun('shop', 1, 'WaitingForPerson');
  await addRun('shop', 2, 'Cancelled');
  await addRun('other', 3, 'Running');
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' };
  await store.create(ReleaseKind, { metadata: { namespace: 'org-acme', name: 'shop-v0.1.0' }, spec });
  const ofShop = [
    { name: 'change-shop-1', workflowId: 'run-agent-workflow/acme/change/acme/shop#1' },
    { name: 'shop-v0.1.0', workflowId: 'promote-release/acme/shop/c1' },
  ];
  expect(await listUnfinishedWork(store, { org: 'acme', product: 'shop' })).toEqual(ofShop);
  expect((await listUnfinishedWork(store, { org: 'acme' })).map(({ name }) => name)).toEqual([
    'change-other-3',
    'change-shop-1',
    'shop-v0.1.0',
  ]);
});
