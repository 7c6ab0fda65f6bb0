import { expect, it } from 'vitest';
import { seedOrg } from '../../src/reconcile/seed-org.ts';
import { defaultAgentWorkflows } from '../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('creates the default AgentWorkflows as accepted, and keeps those that an org has changed', async () => {
  const { store } = await createReconcileDeps();
  const list = async () => (await store.list(AgentWorkflowKind, { namespace: 'org-acme' })).items;
  await seedOrg(store, 'acme');
  const [first, ...others] = await list();
  expect([first, ...others].map((one) => one?.metadata.name).toSorted()).toEqual(
    Object.keys(defaultAgentWorkflows).toSorted(),
  );
  expect([first, ...others].every((one) => one && isReconciled(one))).toBe(true);
  const changed = await store.replace(AgentWorkflowKind, { ...first!, spec: { ...first!.spec, steps: [] } });
  await store.delete(AgentWorkflowKind, others[0]!.metadata);
  await seedOrg(store, 'acme');
  expect(await list()).toHaveLength(others.length + 1);
  expect(await store.get(AgentWorkflowKind, changed.metadata)).toEqual(changed);
});
