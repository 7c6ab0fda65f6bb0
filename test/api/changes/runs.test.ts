import { describe, expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun, setStatus } from './runs-fixture.ts';

async function aRelease(store: Store, run: string, name = 'shop-v1.0.0'): Promise<void> {
  const ref = { namespace: 'org-acme', name };
  await store.create(ReleaseKind, {
    metadata: { ...ref, labels: { 'service.delivery/run': run } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', run, startedBy: 'jo' },
  });
}

const sse = { Accept: 'text/event-stream' };

describe('getRun', () => {
  it('200: returns the progress through the Release and the actions of waiting steps', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', {
      phase: 'WaitingForPerson',
      steps: { implement: 'Succeeded', 'approve-change': 'Waiting' },
      mergeCommit: 'c',
    });
    await aRelease(store, 'run-1');
    const response = await request('/v1/orgs/acme/agentworkflowruns/run-1');
    const view = (await response.json()) as {
      actions: object[];
      progress: { label: string }[];
      resourceVersion: string;
    };
    expect(response.headers.get('ETag')).toContain(`"${view.resourceVersion}.`);
    expect(view).toMatchObject({ kind: 'AgentWorkflowRun', name: 'run-1', org: 'acme', release: 'shop-v1.0.0' });
    expect(view.progress.map(({ label }) => label)).toContain('Release v1.0.0');
    expect(view.actions).toEqual([
      { name: 'approveStep', step: 'approve-change', allowed: true },
      { name: 'rejectStep', step: 'approve-change', allowed: true },
      { name: 'cancelRun', allowed: true },
    ]);
  });

  it('200: streams the run, then every change of the run and its Release', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Pending' });
    await aRun(store, 'run-2', { phase: 'Pending' });
    const response = await request('/v1/orgs/acme/agentworkflowruns/run-1', { headers: sse });
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    const { next, close } = readEvents(response);
    expect(await next()).toMatchObject({ event: 'changed', data: { name: 'run-1', status: { phase: 'Pending' } } });
    await next();
    await setStatus(store, 'run-2', { phase: 'Failed' });
    await setStatus(store, 'run-1', { phase: 'Running', mergeCommit: 'c' });
    const changed = await next();
    expect(changed).toMatchObject({ event: 'changed', data: { name: 'run-1', status: { phase: 'Running' } } });
    expect(changed.id).toBe(changed.data?.['resourceVersion']);
    await aRelease(store, 'run-2', 'shop-v0.9.0');
    await aRelease(store, 'run-1');
    expect(await next()).toMatchObject({ event: 'changed', data: { name: 'run-1', release: 'shop-v1.0.0' } });
    await store.delete(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'run-1' });
    expect(await next()).toMatchObject({ event: 'deleted', data: { name: 'run-1' } });
    await close();
  });

  it('200: ends a stream when the process stops', async () => {
    const shutdown = new AbortController();
    const { request, store } = await startApi({ role: 'viewer', stopSignal: shutdown.signal });
    await aRun(store, 'run-1', { phase: 'Running' });
    const { next } = readEvents(await request('/v1/orgs/acme/agentworkflowruns/run-1', { headers: sse }));
    await next();
    await next();
    shutdown.abort();
    await expect(next()).rejects.toThrow('The stream has ended.');
  });
});

describe('cancelRun', () => {
  it('404: requires an existing run; 409: rejects a finished run', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', { phase: 'Succeeded' });
    const cancel = async (run: string) => request(`/v1/orgs/acme/agentworkflowruns/${run}/cancel`, { method: 'POST' });
    expect((await cancel('run-9')).status).toBe(404);
    const finished = await cancel('run-1');
    expect(await finished.json()).toMatchObject({
      status: 409,
      detail: expect.stringContaining('has already finished'),
    });
  });

  it('503: sends the update to the workflow of a run in progress', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', { phase: 'Running' });
    expect((await request('/v1/orgs/acme/agentworkflowruns/run-1/cancel', { method: 'POST' })).status).toBe(503);
  });
});
