import { describe, expect, it } from 'vitest';
import { RunSummaryView } from '../../../api/changes/schemas.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun, setStatus } from './runs-fixture.ts';

async function aRelease(store: Store, run: string): Promise<void> {
  const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await store.create(ReleaseKind, {
    metadata: { ...ref, labels: { 'service.delivery/run': run } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', run, startedBy: 'jo' },
  });
}

const sse = { Accept: 'text/event-stream' };

describe('listRuns', () => {
  it('200: filters by Product and phase', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running' });
    await aRun(store, 'run-2', { phase: 'Failed' });
    const names = async (query: string) =>
      (
        (await (await request(`/v1/orgs/acme/agentworkflowruns?${query}`)).json()) as { items: { name: string }[] }
      ).items.map(({ name }) => name);
    expect(await names('product=shop&phase=Failed')).toEqual(['run-2']);
    expect(await names('product=other')).toEqual([]);
    await aRun(store, 'run-3', { phase: 'NeedsGuidance' });
    await aRun(store, 'run-4', { phase: 'WaitingForPerson' });
    expect(await names('phase=Waiting&sort=name')).toEqual(['run-3', 'run-4']);
    expect(await names('phase=Active&sort=name')).toEqual(['run-1', 'run-3', 'run-4']);
    expect((await request('/v1/orgs/acme/agentworkflowruns?phase=Sleeping')).status).toBe(422);
  });

  it('200: applies each filter to the list and to the stream', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running' });
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace: 'org-acme', name: 'run-2' },
      spec: { agentWorkflow: 'upkeep', product: 'till', startedBy: 'Ada@example.com', steps: [], roles: {} },
    });
    const [list, paths] = ['/v1/orgs/acme/agentworkflowruns', ['run-1', 'run-2']];
    for (const [query, expected] of [
      ['', paths],
      ['product=till', ['run-2']],
      ['phase=Running', ['run-1']],
      ['agentWorkflow=upkeep', ['run-2']],
      ['repo=acme/shop', ['run-1']],
      ['issue=7', ['run-1']],
      ['startedBy=ada@EXAMPLE.com', ['run-2']],
    ] as const) {
      const { items } = (await (await request(`${list}?sort=name&${query}`)).json()) as { items: { name: string }[] };
      expect(
        items.map(({ name }) => name),
        query,
      ).toEqual(expected);
      const { next, close } = readEvents(await request(`${list}?${query}`, { headers: sse }));
      const shown: unknown[] = [];
      // Both runs change, and the last event is of one that the filter shows.
      for (const name of [...paths.filter((one) => !(expected as readonly string[]).includes(one)), ...expected])
        await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, ({ status }) => ({
          ...(status ?? { phase: 'Pending' as const, steps: [] }),
          issue: { title: query, url: 'https://codehost.example/1' },
        }));
      while (!JSON.stringify(shown.at(-1) ?? '').includes(`"title":"${query}"`) || shown.length < expected.length) {
        const { event, data } = await next();
        if (event === 'changed') shown.push(data);
      }
      await close();
      expect(new Set(shown.map((data) => (data as { name: string }).name)), query).toEqual(new Set(expected));
    }
  });

  it('200: returns summaries without instructions and AgentRoles', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running', steps: { implement: 'Running' } });
    const { items } = (await (await request('/v1/orgs/acme/agentworkflowruns')).json()) as { items: unknown[] };
    expect(items).toEqual([RunSummaryView.parse(items[0])]);
    expect(items).toMatchObject([
      {
        spec: { agentWorkflow: 'change', product: 'shop', target: { repo: 'acme/shop', number: 7 }, startedBy: 'jo' },
        status: { phase: 'Running', steps: expect.arrayContaining([{ name: 'implement', phase: 'Running' }]) },
        progress: expect.any(Array),
      },
    ]);
    expect(JSON.stringify(items)).not.toContain('"roles"');
  });

  it('200: resumes a stream after the last received event', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Pending' });
    const first = readEvents(await request('/v1/orgs/acme/agentworkflowruns', { headers: sse }));
    await first.next();
    const { id = '' } = await first.next();
    await first.close();
    await aRun(store, 'run-2', { phase: 'Running' });
    const second = readEvents(
      await request('/v1/orgs/acme/agentworkflowruns', { headers: { ...sse, 'Last-Event-ID': id } }),
    );
    expect(await second.next()).toMatchObject({ event: 'changed', data: { name: 'run-2' } });
    await second.close();
  });

  it('200: streams a deletion when a run no longer matches the filter', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running' });
    const { next, close } = readEvents(
      await request('/v1/orgs/acme/agentworkflowruns?phase=Running', { headers: sse }),
    );
    await next();
    await next();
    await setStatus(store, 'run-1', { phase: 'Succeeded' });
    expect(await next()).toMatchObject({ event: 'deleted', data: { name: 'run-1' } });
    await close();
  });
});

describe('getRun', () => {
  it('200: returns the progress through the Release and the actions of waiting steps', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', {
      phase: 'WaitingForPerson',
      steps: { implement: 'Succeeded', 'approve-change': 'Waiting' },
      mergeCommit: 'c',
    });
    await aRelease(store, 'run-1');
    const view = (await (await request('/v1/orgs/acme/agentworkflowruns/run-1')).json()) as {
      actions: object[];
      progress: { label: string }[];
    };
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
    await aRelease(store, 'run-1');
    expect(await next()).toMatchObject({ event: 'changed', data: { name: 'run-1', release: 'shop-v1.0.0' } });
    await store.delete(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'run-1' });
    expect(await next()).toMatchObject({ event: 'deleted', data: { name: 'run-1' } });
    await close();
  });

  it('200: ends a stream when the process stops', async () => {
    const shutdown = new AbortController();
    const { request, store } = await startApi({ role: 'viewer', shutdownSignal: shutdown.signal });
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
