import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { startRunWorkflow } from '../../../api/changes/start-run-workflow.ts';
import { loadConfig } from '../../../src/config.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { runName } from '../../../src/rules/changes/run-names.ts';
import type { RequestIdentity } from '../../../api/temporal/idempotency.ts';
import {
  cancelRunUpdate,
  type RunAgentWorkflowInput,
  runAgentWorkflowStart,
  waitForRunUpdate,
} from '../../../workflows/changes/messages.ts';
import { ChangeFixture } from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { createStartingTemporal } from '../temporal/start-fixture.ts';
import { createUnreachableTemporal, startApi } from '../../support/start-api.ts';

const target = { repo: 'acme/shop', number: 7 };
const input = { org: 'acme', agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', requestId: 'r' };

const toStart = (runInput: RunAgentWorkflowInput, request: RequestIdentity) => ({
  org: 'acme',
  request,
  payload: runInput,
  prepare: async () => runInput,
});

/** Creates an org whose target has reached its limit of two runs per hour, without Temporal. */
async function afterTwoRuns({ runsPerOrg = 50, runsPerTargetPerHour = 2 } = {}) {
  const { store } = await startApi();
  const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, agents: { runsPerTargetPerHour } } });
  for (const name of ['one', 'two']) {
    const spec = { agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: { namespace: 'org-acme', name }, spec });
  }
  const temporal = createUnreachableTemporal();
  const config = { quotas: { ...loadConfig({}).quotas, runsPerOrg } };
  const start = async (runInput = input, hasIdempotencyKey = false) =>
    startRunWorkflow(
      { store, temporal, now: () => new Date(), config } as never,
      toStart(runInput, { id: 'r', hasIdempotencyKey }),
    );
  return { store, start };
}

it('429: rejects a start beyond the hourly limit of the target', async () => {
  const { start } = await afterTwoRuns();
  const refused: unknown = await start().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'too-many-requests', message: expect.stringContaining('acme/shop#7') });
  const { retryAfterMs = 0 } = refused as { retryAfterMs?: number };
  expect(retryAfterMs).toBeGreaterThan(59 * 60_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60 * 60_000);
});

it('503: does not limit another target, and allows the last start of the hour', async () => {
  const last = await afterTwoRuns({ runsPerTargetPerHour: 3 });
  await expect(last.start()).rejects.toMatchObject({ code: 'unavailable' });
  const { start } = await afterTwoRuns();
  await expect(start({ ...input, target: { ...target, number: 8 } })).rejects.toMatchObject({ code: 'unavailable' });
});

it('201: returns the same run for a repeated request', async () => {
  const { store, start } = await afterTwoRuns();
  const digest = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  const metadata = { namespace: 'org-acme', name: 'request-r' };
  await store.create(ConfigMapKind, { metadata, data: { digest, started: 'two' } });
  expect(await start(input, true)).toBe('two');
});

it('429: rejects a start while as many runs of the org are in progress as its quota allows', async () => {
  const { store, start } = await afterTwoRuns({ runsPerOrg: 2 });
  const other = { ...input, target: { ...target, number: 8 } };
  const setPhase = async (name: string, phase: 'Running' | 'WaitingForPerson') =>
    await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, () => ({
      ...createRunStatus([], new Date().toISOString()),
      phase,
    }));
  for (const name of ['one', 'two']) await setPhase(name, 'Running');
  await expect(start(other)).rejects.toMatchObject({
    reason: 'quota-reached',
    message: expect.stringContaining('2 runs in progress (QUOTA_RUNS_PER_ORG)'),
  });
  // A run that waits for a person uses neither a worker nor a model.
  await setPhase('two', 'WaitingForPerson');
  await expect(start(other)).rejects.toMatchObject({ code: 'unavailable' });
});

it.each<[description: string, running: Parameters<typeof createStartingTemporal>[1], outcome: object]>([
  ['that no run has', undefined, { run: 'run-1' }],
  ['whose run an earlier attempt started', { startedBy: 'r' }, { run: 'run-1' }],
  [
    'whose run an earlier attempt started, and which has ended',
    { startedBy: 'r', isCompleted: true },
    { run: 'run-1' },
  ],
  [
    'that another run has',
    { startedBy: 'other' },
    { reason: 'run-in-progress', links: [{ title: 'Change run-1', url: '/acme/changes/run-1' }] },
  ],
])('starts a run on a target %s', async (_, running, outcome) => {
  const { store } = await startApi();
  const { temporal, started } = createStartingTemporal({ run: 'run-1' }, running);
  const config = { quotas: loadConfig({}).quotas };
  const request = { id: 'r', hasIdempotencyKey: false };
  const result = await startRunWorkflow(
    { store, temporal, now: () => new Date(), config } as never,
    toStart(input, request),
  ).then(
    (run) => ({ run }),
    (error: unknown) => error,
  );
  expect(result).toMatchObject(outcome);
  expect(started).toHaveLength(running ? 0 : 1);
});

it.each([
  ['of a start', undefined, 'workflow'],
  ['of an update to the run that an earlier attempt started', { startedBy: 'r' }, 'handle'],
] as const)('takes no fault %s for a run that is in progress', async (_, running, failing) => {
  const { store } = await startApi();
  const { temporal } = createStartingTemporal({ run: 'run-1' }, running);
  const fail = async () => await Promise.reject(new Error('A fault.'));
  if (failing === 'workflow') Object.assign(temporal.workflow, { executeUpdateWithStart: fail });
  else Object.assign(temporal.workflow.getHandle('any'), { executeUpdate: fail });
  const config = { quotas: loadConfig({}).quotas };
  const deps = { store, temporal, now: () => new Date(), config } as never;
  await expect(startRunWorkflow(deps, toStart(input, { id: 'r', hasIdempotencyKey: false }))).rejects.toThrow(
    'A fault.',
  );
});

/** Creates the run of an attempt that ended before it stored the response, in an org whose limits that run reaches. */
async function afterLostResponse(isCompleted: boolean) {
  const { store } = await startApi();
  const name = runName({ ...input, seed: 'first-run-1a2b3c4d' });
  const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, agents: { runsPerTargetPerHour: 1 } } });
  const spec = { agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', steps: [], roles: {} };
  const { metadata } = await store.create(AgentWorkflowRunKind, { metadata: { namespace: 'org-acme', name }, spec });
  await store.updateStatus(AgentWorkflowRunKind, metadata, () => createRunStatus([], new Date().toISOString()));
  const running = { startedBy: 'r', firstRunId: 'first-run-1a2b3c4d', isCompleted };
  const { temporal, started } = createStartingTemporal({ run: name }, running);
  const config = { quotas: { ...loadConfig({}).quotas, runsPerOrg: 1 } };
  const deps = { store, temporal, now: () => new Date(), config } as never;
  const start = async (request: object) =>
    await startRunWorkflow(deps, toStart(input, { id: 'r', hasIdempotencyKey: true, ...request }));
  return { name, store, start, started };
}

it.each([false, true])(
  '201: returns the run of an earlier attempt, which the limits count already (completed: %s)',
  async (isCompleted) => {
    const { name, start, started } = await afterLostResponse(isCompleted);
    expect(await start({})).toBe(name);
    expect(started).toEqual([]);
  },
);

it('429: does not take the run of another request for that of an earlier attempt', async () => {
  const { start } = await afterLostResponse(false);
  await expect(start({ id: 'other' })).rejects.toMatchObject({ reason: 'start-limit-reached' });
});

it('201: waits for the run of an earlier attempt that has not created it yet', async () => {
  const { name, store, start, started } = await afterLostResponse(false);
  await store.delete(AgentWorkflowRunKind, { namespace: 'org-acme', name });
  expect(await start({})).toBe(name);
  expect(started).toEqual([]);
});

describeWithTemporal('a request whose response was lost', () => {
  it('returns its run also after the run has finished', async () => {
    const change = new ChangeFixture({ steps: [{ name: 'approve', type: 'human' }] });
    await withWorkflowHarness(change.activities, async (harness) => {
      const { store } = await startApi();
      const product = harness.taskQueue;
      const runInput = { org: 'acme', agentWorkflow: 'change', product, startedBy: 'ada', requestId: 'r' };
      const first = runAgentWorkflowStart(runInput);
      const options = { ...first.options, memo: { requestId: 'r' } };
      const handle = await harness.start({ ...first, options });
      const { run } = await handle.executeUpdate(waitForRunUpdate);
      const spec = { agentWorkflow: 'change', product: 'hello', startedBy: 'ada', steps: [], roles: {} };
      await store.create(AgentWorkflowRunKind, { metadata: { namespace: 'org-acme', name: run }, spec });
      const config = { quotas: loadConfig({}).quotas };
      const deps = { store, temporal: harness.client, now: () => new Date(), config } as never;
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run, by: 'ada' }] });
      await handle.result().catch(() => undefined);
      expect(await startRunWorkflow(deps, toStart(runInput, { id: 'r', hasIdempotencyKey: true }))).toBe(run);
    });
  });
});
