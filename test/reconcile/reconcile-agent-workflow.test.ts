import { expect, it } from 'vitest';
import { reconcileAgentWorkflow } from '../../src/reconcile/reconcile-agent-workflow.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const ref = { namespace: 'org-acme', name: 'upkeep' };
const spec = {
  enabled: true,
  triggers: [{ type: 'cron', schedule: '0 9 * * *' }],
  steps: [{ name: 'look', type: 'agent', role: 'maintainer', mode: 'report' }],
};

async function reconcile({ withRole }: { withRole: boolean }) {
  const fixture = await createReconcileDeps();
  const { deps, store } = fixture;
  if (withRole)
    await store.create(AgentRoleKind, {
      metadata: { namespace: 'org-acme', name: 'maintainer' },
      spec: { responsibilities: ['Maintain.'] },
    });
  const workflow = await store.create(AgentWorkflowKind, { metadata: ref, spec: spec as never });
  await reconcileAgentWorkflow(deps, workflow);
  return { ...fixture, workflow: await store.get(AgentWorkflowKind, ref) };
}

it('accepts a valid AgentWorkflow and signals its schedule once', async () => {
  const { deps, workflow, calls } = await reconcile({ withRole: true });
  expect(isReconciled(workflow)).toBe(true);
  await reconcileAgentWorkflow(deps, workflow);
  expect(calls).toEqual([{ type: 'runSchedule', workflowId: 'run-schedule/acme/upkeep', signal: 'scheduleChanged' }]);
});

it('records the rejection of an AgentWorkflow whose AgentRole does not exist', async () => {
  const { workflow, calls } = await reconcile({ withRole: false });
  expect(isReconciled(workflow)).toBe(false);
  expect(workflow.status?.conditions?.[0]).toMatchObject({
    status: 'False',
    message: expect.stringContaining('The AgentWorkflow is invalid'),
  });
  expect(calls).toEqual([]);
});
