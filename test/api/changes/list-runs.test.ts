import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RunSummaryView } from '../../../api/changes/schemas.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun, setStatus } from './runs-fixture.ts';

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
    expect(await names('issue=1')).toEqual([]);
    await aRun(store, 'run-3', { phase: 'NeedsGuidance' });
    await aRun(store, 'run-4', { phase: 'WaitingForPerson' });
    expect(await names('phase=Waiting&sort=name')).toEqual(['run-3', 'run-4']);
    expect(await names('phase=Active&sort=name')).toEqual(['run-1', 'run-3', 'run-4']);
    expect((await request('/v1/orgs/acme/agentworkflowruns?phase=Sleeping')).status).toBe(422);
  });

  it('200: returns the newest run first', async () => {
    // Times of creation are whole seconds.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { request, store } = await startApi({ role: 'viewer' });
    for (const name of ['run-b', 'run-c', 'run-a']) {
      await aRun(store, name, { phase: 'Running' });
      vi.setSystemTime(Date.now() + 1000);
    }
    expect(await (await request('/v1/orgs/acme/agentworkflowruns')).json()).toMatchObject({
      items: [{ name: 'run-a' }, { name: 'run-c' }, { name: 'run-b' }],
    });
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

  it('200: returns the latest run of each Product, however many runs another Product has', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    const create = async (name: string, product: string) =>
      await store.create(AgentWorkflowRunKind, {
        metadata: { namespace: 'org-acme', name },
        spec: { agentWorkflow: 'change', product, startedBy: 'jo', steps: [], roles: {} },
      });
    await create('run-of-till', 'till');
    for (const index of Array.from({ length: 60 }).keys()) await create(`run-${index}`, 'shop');
    await create('run-z', 'shop');
    const path = '/v1/orgs/acme/agentworkflowruns?latestPer=product';
    const list = async (query = '') =>
      (await (await request(`${path}${query}`)).json()) as { items: { name: string }[]; continue?: string };
    const all = await list('&sort=name');
    expect(all.items.map(({ name }) => name)).toEqual(['run-of-till', 'run-z']);
    expect(all.continue).toBeUndefined();
    expect((await list('&sort=name&q=run-5')).items.map(({ name }) => name)).toEqual(['run-59']);
    const streamed = await request(path, { headers: sse });
    expect(await streamed.json()).toMatchObject({ status: 422, errors: [{ pointer: '?latestPer' }] });
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
