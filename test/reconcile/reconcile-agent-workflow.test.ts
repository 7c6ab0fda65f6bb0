import { expect, it } from 'vitest';
import { reconcileAgentWorkflow } from '../../src/reconcile/reconcile-agent-workflow.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { triggersSinceAnnotation } from '../../src/rules/intake/triggers-since.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { judgeSchedule, scheduleStartTimeAnnotation } from '../../src/rules/scheduling/judge-schedule.ts';
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
  return { ...fixture, created: workflow, workflow: await store.get(AgentWorkflowKind, ref) };
}

it('accepts a valid AgentWorkflow and signals its schedule once', async () => {
  const { deps, workflow, calls } = await reconcile({ withRole: true });
  expect(isReconciled(workflow)).toBe(true);
  expect(workflow.status?.conditions).toMatchObject([{ type: 'Accepted', status: 'True' }]);
  // A schedule and its triggers count from the time at which they were accepted.
  const since = deps.now().toISOString();
  expect(workflow.metadata.annotations).toMatchObject({
    [scheduleStartTimeAnnotation]: since,
    [triggersSinceAnnotation]: since,
  });
  await reconcileAgentWorkflow(deps, workflow);
  expect(calls).toEqual([{ type: 'runSchedule', workflowId: 'run-schedule/acme/upkeep', signal: 'scheduleChanged' }]);
});

it('accepts the texts of a manifest without the line break that YAML leaves at their ends', async () => {
  const { deps, store } = await createReconcileDeps();
  await store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name: 'maintainer' },
    spec: { responsibilities: ['Maintain.'] },
  });
  const steps = [{ ...spec.steps[0], criteria: ['All tests pass.\n'] }];
  const workflow = await store.create(AgentWorkflowKind, { metadata: ref, spec: { ...spec, steps } as never });
  await reconcileAgentWorkflow(deps, workflow);
  const found = await store.get(AgentWorkflowKind, ref);
  expect(found.spec.steps).toMatchObject([{ criteria: ['All tests pass.'] }]);
  expect(isReconciled(found)).toBe(true);
  expect(found.status?.conditions).toMatchObject([{ status: 'True', observedGeneration: found.metadata.generation }]);
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

it('wakes the schedule of a corrected AgentWorkflow, which reads that it is valid now', async () => {
  const { deps, store, workflow } = await reconcile({ withRole: false });
  const acme = { namespace: systemNamespace, name: 'acme' };
  const org = await store.get(OrganizationKind, acme);
  const scheduling = { enabled: true, timeZone: '' };
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, scheduling } });
  await store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name: 'maintainer' },
    spec: { responsibilities: ['Maintain.'] },
  });
  const descriptions: (string | undefined)[] = [];
  // The loop reads the schedule as soon as it has the signal, and then once a day.
  const readSchedule = async (): Promise<void> => {
    const current = await store.get(AgentWorkflowKind, ref);
    const verdict = judgeSchedule(current, await store.get(OrganizationKind, acme), deps.now());
    descriptions.push(verdict?.description);
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { signalWithStart: readSchedule },
  } as never;
  await reconcileAgentWorkflow({ ...deps, temporal }, workflow);
  expect(descriptions).toEqual(['0 9 * * * (UTC)']);
});

it('leaves an AgentWorkflow alone that changed or was deleted in the meantime', async () => {
  const { deps, store, created, calls } = await reconcile({ withRole: true });
  calls.length = 0;
  await reconcileAgentWorkflow(deps, created);
  await store.delete(AgentWorkflowKind, ref);
  await reconcileAgentWorkflow(deps, created);
  expect(calls).toEqual([]);
});

it('tries again when the store fails', async () => {
  const { deps, store, workflow } = await reconcile({ withRole: true });
  const changed = await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, enabled: false } });
  const failing = {
    ...store,
    replace: async () => {
      throw new Error('The store is unavailable.');
    },
  };
  await expect(reconcileAgentWorkflow({ ...deps, store: failing }, changed)).rejects.toThrow('unavailable');
  expect(isReconciled(await store.get(AgentWorkflowKind, ref))).toBe(false);
});

it('signals the schedule of an accepted AgentWorkflow again when that was interrupted', async () => {
  const { deps, store, workflow, calls } = await reconcile({ withRole: true });
  const changed = await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, enabled: false } });
  const unavailable = async () => {
    throw new Error('The workflow server is unavailable.');
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { start: unavailable, signalWithStart: unavailable },
  } as never;
  await expect(reconcileAgentWorkflow({ ...deps, temporal }, changed)).rejects.toThrow('unavailable');
  calls.length = 0;
  const later = { ...deps, now: () => new Date('2027-01-01T00:01:00Z') };
  await reconcileAgentWorkflow(later, await store.get(AgentWorkflowKind, ref));
  expect(calls).toMatchObject([{ type: 'runSchedule', signal: 'scheduleChanged' }]);
  expect((await store.get(AgentWorkflowKind, ref)).status?.conditions).toMatchObject([
    { status: 'True', observedGeneration: 2 },
  ]);
});

it('rejects an AgentWorkflow that no org has, or whose name is no label', async () => {
  const { deps, store } = await createReconcileDeps();
  for (const metadata of [
    { namespace: 'org-unknown', name: 'upkeep' },
    { namespace: 'org-acme', name: 'up.keep' },
  ]) {
    await reconcileAgentWorkflow(deps, await store.create(AgentWorkflowKind, { metadata, spec: spec as never }));
    const { status } = await store.get(AgentWorkflowKind, metadata);
    expect(status?.conditions).toMatchObject([{ status: 'False', message: expect.stringMatching(/unknown|up\.keep/) }]);
  }
});
