import { expect, it } from 'vitest';
import { reconcileAgentRole } from '../../src/reconcile/reconcile-agent-role.ts';
import { AgentRoleKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const ref = { namespace: 'org-acme', name: 'sweeper' };

it('rejects network access that the org does not allow, and accepts the AgentRole once it does', async () => {
  const { deps, store } = await createReconcileDeps();
  await store.create(AgentRoleKind, { metadata: ref, spec: { responsibilities: ['Sweep.'], network: true } });
  const reconcile = async () => {
    await reconcileAgentRole(deps, await store.get(AgentRoleKind, ref));
    return (await store.get(AgentRoleKind, ref)).status?.conditions?.[0];
  };
  expect(await reconcile()).toMatchObject({
    status: 'False',
    message: expect.stringContaining('does not allow network access'),
  });
  const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, agents: { allowNetwork: true } } });
  expect(await reconcile()).toMatchObject({ status: 'True' });
});

it('rejects an AgentRole in a namespace that belongs to no org, or with a name that is no label', async () => {
  const { deps, store } = await createReconcileDeps();
  for (const metadata of [
    { namespace: 'org-unknown', name: 'sweeper' },
    { namespace: 'org-acme', name: 'swee.per' },
  ]) {
    const spec = { responsibilities: ['Sweep.'] };
    await reconcileAgentRole(deps, await store.create(AgentRoleKind, { metadata, spec }));
    expect((await store.get(AgentRoleKind, metadata)).status?.conditions?.[0]).toMatchObject({ status: 'False' });
  }
});
