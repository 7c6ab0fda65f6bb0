import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { startApi } from '../../support/start-api.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { aRun, setStatus } from './runs-fixture.ts';

/** Sends a request for a step of the finished run "run-1". */
async function withFinishedRun(verb: string, body?: object) {
  const { request, store } = await startApi({ role: 'member' });
  await aRun(store, 'run-1', { phase: 'Succeeded', steps: { implement: 'Succeeded' } });
  return async (run: string, step: string) => {
    const path = `/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/${verb}`;
    return (await request(path, { method: 'POST', ...(body && { body }) })).status;
  };
}

describe('approveStep', () => {
  it('404: requires an existing run and step; 409: requires a step that waits for it', async () => {
    const send = await withFinishedRun('approve');
    expect(await send('run-9', 'implement')).toBe(404);
    expect(await send('run-1', 'dance')).toBe(404);
    expect(await send('run-1', 'implement')).toBe(409);
  });
});

describe('rejectStep', () => {
  it('404: requires an existing run and step; 409: requires a step that waits for it', async () => {
    const send = await withFinishedRun('reject');
    expect(await send('run-9', 'implement')).toBe(404);
    expect(await send('run-1', 'dance')).toBe(404);
    expect(await send('run-1', 'implement')).toBe(409);
  });
});

describe('guideStep', () => {
  it('404: requires an existing run and step; 409: requires a step that waits for it', async () => {
    const send = await withFinishedRun('guide', { text: 'Go left.' });
    expect(await send('run-9', 'implement')).toBe(404);
    expect(await send('run-1', 'dance')).toBe(404);
    expect(await send('run-1', 'implement')).toBe(409);
  });

  it('409: rejects guidance for a step that is running', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', { phase: 'Running', steps: { implement: 'Running' } });
    const path = '/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/guide';
    const response = await request(path, { method: 'POST', body: { text: 'Go left.' } });
    expect(await response.json()).toMatchObject({
      status: 409,
      detail: expect.stringContaining('its phase is Running'),
    });
  });
});

describe('retryStep', () => {
  it('404: requires an existing run and step; 409: requires a step that waits for it', async () => {
    const send = await withFinishedRun('retry');
    expect(await send('run-9', 'implement')).toBe(404);
    expect(await send('run-1', 'dance')).toBe(404);
    expect(await send('run-1', 'implement')).toBe(409);
  });

  it('409: retries no failed step while its run is in progress, because nothing would happen', async () => {
    const { temporal, updates } = captureUpdates();
    const { request, store } = await startApi({ role: 'member', temporal });
    await aRun(store, 'run-1', { phase: 'Running', steps: { 'review-code': 'Failed', 'review-tests': 'Running' } });
    const path = '/v1/orgs/acme/agentworkflowruns/run-1/steps/review-code/retry';
    const response = await request(path, { method: 'POST', body: {} });
    expect(await response.json()).toMatchObject({
      status: 409,
      reason: 'step-not-retryable',
      detail: expect.stringContaining('once its other steps have ended'),
    });
    expect(updates).toEqual([]);
  });

  it('429: reopens no failed run while as many runs are in progress as the quota of the org allows', async () => {
    const { temporal, updates } = captureUpdates();
    const quotas = { ...loadConfig({}).quotas, runsPerOrg: 1 };
    const { request, store } = await startApi({ role: 'member', temporal, config: { quotas } });
    await aRun(store, 'run-1', { phase: 'Failed', steps: { implement: 'Failed' } });
    await aRun(store, 'run-2', { phase: 'Running', steps: { implement: 'Running' } });
    const retry = async () => {
      const path = '/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/retry';
      return await request(path, { method: 'POST', body: {} });
    };
    expect(await (await retry()).json()).toMatchObject({ status: 429, reason: 'quota-reached' });
    expect(updates).toEqual([]);
    await setStatus(store, 'run-2', { phase: 'WaitingForPerson' });
    expect((await retry()).status).toBe(200);
  });

  it.each(['guide', 'retry'])('429: a %s resumes no run beyond the quota of the org', async (verb) => {
    const { temporal, updates } = captureUpdates();
    const quotas = { ...loadConfig({}).quotas, runsPerOrg: 1 };
    const { request, store } = await startApi({ role: 'member', temporal, config: { quotas } });
    await aRun(store, 'run-1', { phase: 'NeedsGuidance', steps: { implement: 'NeedsGuidance' } });
    await aRun(store, 'run-2', { phase: 'Running', steps: { implement: 'Running' } });
    const body = verb === 'guide' ? { text: 'Go left.' } : {};
    const path = `/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/${verb}`;
    const send = async () => await request(path, { method: 'POST', body });
    expect(await (await send()).json()).toMatchObject({ status: 429, reason: 'quota-reached' });
    expect(updates).toEqual([]);
    await setStatus(store, 'run-2', { phase: 'Succeeded' });
    expect((await send()).status).toBe(200);
  });

  it('422: only an agent step that does not resolve a conflict can start over', async () => {
    const { request, store } = await startApi({ role: 'member' });
    const steps = { implement: 'Failed', 'resolve-conflicts': 'Failed', merge: 'Failed' } as const;
    await aRun(store, 'run-1', { phase: 'Failed', steps });
    const send = async (step: string, body: object) =>
      await request(`/v1/orgs/acme/agentworkflowruns/run-1/steps/${step}/retry`, { method: 'POST', body });
    for (const step of ['merge', 'resolve-conflicts'])
      expect(await (await send(step, { startOver: true })).json()).toMatchObject({
        status: 422,
        errors: [{ pointer: '/startOver' }],
      });
    expect((await send('resolve-conflicts', {})).status).toBe(503);
    expect((await send('implement', { startAfresh: true })).status).toBe(422);
    // No Temporal server takes the retry here.
    expect((await send('implement', { startOver: true })).status).toBe(503);
  });
});

describe('a decision about a step', () => {
  it.each([
    ['reject', { note: 'Not like this.', headSha: 'a'.repeat(40) }, 'rejectStep', { role: 'member' }],
    ['reject', {}, 'rejectStep', { role: 'member' }],
    ['guide', { text: ' Go left. ' }, 'guideStep', {}],
  ] as const)('200: %s %j reaches the workflow of the run with its proof', async (verb, body, update, more) => {
    const { temporal, updates } = captureUpdates();
    const { request, store, blobs } = await startApi({ role: 'member', temporal });
    await aRun(store, 'run-1', { phase: 'NeedsGuidance', steps: { implement: 'NeedsGuidance' } });
    const path = `/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/${verb}`;
    const response = await request(path, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ name: 'run-1' });
    const { text, ...kept } = { text: undefined, ...body };
    expect(updates).toEqual([
      {
        workflowId: 'run-agent-workflow/acme/change/acme/shop#7',
        update,
        args: [{ run: 'run-1', step: 'implement', by: 'member@example.com', ...more, ...kept }, expect.any(String)],
      },
    ]);
    // The text of guidance is in no message to a workflow.
    const { uid } = (await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'run-1' })).metadata;
    const stored = await Promise.all((await blobs.list(`runs/${uid}/`)).map(async (key) => await blobs.find(key)));
    expect(stored.map((bytes) => Buffer.from(bytes ?? '').toString())).toEqual(text === undefined ? [] : ['Go left.']);
  });
});
