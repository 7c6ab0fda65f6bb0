import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type StepPhase } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun } from './runs-fixture.ts';

const namespace = 'org-acme';
const runs = '/v1/orgs/acme/agentworkflowruns';
const path = `${runs}/run-1`;

async function createRelease(store: Store, version: string): Promise<string> {
  const { metadata } = await store.create(ReleaseKind, {
    metadata: { namespace, name: `shop-${version}`, labels: { [runLabel]: 'run-1' } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version, run: 'run-1', startedBy: 'jo' },
  });
  return metadata.creationTimestamp;
}

async function createRun(store: Store): Promise<void> {
  const { steps } = changeAgentWorkflow;
  const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'member@example.com', steps, roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: 'run-1' }, spec });
}

describe('the view of a run', () => {
  it('200: offers no approval to its starter if the org requires two people', async () => {
    const { request, store } = await startApi({ role: 'member' });
    const body = { preventSelfApproval: true };
    expect((await request('/v1/orgs/acme/approvals', { method: 'PUT', body, role: 'org-admin' })).status).toBe(200);
    await createRun(store);
    const approval = async (role: 'member' | 'org-admin') => {
      const { actions } = (await (await request(path, { role })).json()) as { actions: { name: string }[] };
      return actions.find(({ name }) => name === 'approveStep');
    };
    const waiting = { name: 'approve-change', phase: 'Waiting' as StepPhase };
    for (const steps of [[waiting], [{ name: 'implement', phase: 'Succeeded' as StepPhase }, waiting]]) {
      const status = { phase: 'WaitingForPerson' as const, steps };
      await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'run-1' }, () => status);
      expect(await approval('member')).toMatchObject({ allowed: false, reason: 'self-approval' });
      expect(await approval('org-admin')).toMatchObject({ allowed: true });
    }
  });

  it('200: names the newest Release of its merge commit, also in a stream of all runs', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running', mergeCommit: 'c' });
    const createdAt = await createRelease(store, 'v2.0.0');
    while (new Date().toISOString() <= createdAt) await setImmediate();
    const { next, close } = readEvents(await request(runs, { headers: { Accept: 'text/event-stream' } }));
    expect(await next()).toMatchObject({ event: 'changed', data: { release: 'shop-v2.0.0' } });
    await next();
    await createRelease(store, 'v1.9.0');
    expect(await next()).toMatchObject({ event: 'changed', data: { name: 'run-1', release: 'shop-v1.9.0' } });
    await close();
    expect(await (await request(path)).json()).toMatchObject({ release: 'shop-v1.9.0' });
  });

  it('200: has no status before the run has one', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await createRun(store);
    const { items } = (await (await request(runs)).json()) as { items: object[] };
    expect(items).toMatchObject([{ name: 'run-1', progress: expect.any(Array) }]);
    for (const view of [items[0], await (await request(path)).json()]) expect(view).not.toHaveProperty('status');
  });
});
