import { describe, expect, it } from 'vitest';
import { RunItem } from '../../../api/changes/schemas.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import { AgentWorkflowRunKind, type RunPhase, type StepPhase } from '../../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';

type Status = { phase: RunPhase; steps?: Record<string, StepPhase>; mergeCommit?: string };

async function aRun(store: Store, name: string, status: Status): Promise<void> {
  const ref = { namespace: 'org-acme', name };
  await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: 7 },
      startedBy: 'jo',
      steps: changeAgentWorkflow.steps,
      roles: {},
    },
  });
  await setStatus(store, name, status);
}

async function setStatus(store: Store, name: string, { phase, steps = {}, mergeCommit }: Status): Promise<void> {
  await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, () => ({
    phase,
    steps: changeAgentWorkflow.steps.map((step) => ({
      name: step.name,
      phase: steps[step.name] ?? ('Pending' as const),
    })),
    ...(mergeCommit !== undefined && { mergeCommit }),
  }));
}

async function aRelease(store: Store, run: string): Promise<void> {
  const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await store.create(ReleaseKind, {
    metadata: { ...ref, labels: { 'service.delivery/run': run } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', run, startedBy: 'jo' },
  });
}

/** Reads events off a followed stream as they come. */
function eventsOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<{ event?: string; id?: string; data?: Record<string, unknown> }> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await reader.read();
        if (done) throw new Error('The stream has ended.');
        text += value;
        continue;
      }
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      return {
        ...fields,
        ...(fields['data'] !== undefined && { data: JSON.parse(fields['data']) as Record<string, unknown> }),
      };
    }
  };
  return { next, close: () => reader.cancel() };
}

const sse = { Accept: 'text/event-stream' };

describe('a run', () => {
  it('200: shows its strip on into its Release, and what can be done about what waits', async () => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', {
      phase: 'WaitingForPerson',
      steps: { implement: 'Succeeded', 'approve-change': 'Waiting' },
      mergeCommit: 'c',
    });
    await aRelease(store, 'run-1');
    const view = (await (await request('/v1/orgs/acme/agentworkflowruns/run-1')).json()) as {
      actions: object[];
      strip: { label: string }[];
    };
    expect(view).toMatchObject({ kind: 'AgentWorkflowRun', name: 'run-1', org: 'acme', release: 'shop-v1.0.0' });
    expect(view.strip.map(({ label }) => label)).toContain('Release v1.0.0');
    expect(view.actions).toEqual([
      { name: 'approveStep', step: 'approve-change', allowed: true },
      { name: 'rejectStep', step: 'approve-change', allowed: true },
      { name: 'cancelRun', allowed: true },
    ]);
  });

  it('200: is listed by Product and phase', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running' });
    await aRun(store, 'run-2', { phase: 'Failed' });
    const names = async (query: string) =>
      (
        (await (await request(`/v1/orgs/acme/agentworkflowruns?${query}`)).json()) as { items: { name: string }[] }
      ).items.map(({ name }) => name);
    expect(await names('product=shop&phase=Failed')).toEqual(['run-2']);
    expect(await names('product=other')).toEqual([]);
    expect((await request('/v1/orgs/acme/agentworkflowruns?phase=Sleeping')).status).toBe(422);
  });

  it('200: is told in short among others: how far it is, not what its agents were told', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running', steps: { implement: 'Running' } });
    const { items } = (await (await request('/v1/orgs/acme/agentworkflowruns')).json()) as { items: unknown[] };
    expect(items).toEqual([RunItem.parse(items[0])]);
    expect(items).toMatchObject([
      {
        spec: { agentWorkflow: 'change', product: 'shop', target: { repo: 'acme/shop', number: 7 }, startedBy: 'jo' },
        status: { phase: 'Running', steps: expect.arrayContaining([{ name: 'implement', phase: 'Running' }]) },
        strip: expect.any(Array),
      },
    ]);
    expect(JSON.stringify(items)).not.toContain('"roles"');
  });

  it.each([
    ['approve', undefined],
    ['guide', { text: 'Go left.' }],
    ['retry', undefined],
  ])('404, 409: %s needs the run, the step, and a state that waits for it', async (verb, body) => {
    const { request, store } = await startApi({ role: 'member' });
    await aRun(store, 'run-1', { phase: 'Succeeded', steps: { implement: 'Succeeded' } });
    const act = async (run: string, step: string) =>
      (
        await request(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/${verb}`, {
          method: 'POST',
          ...(body && { body }),
        })
      ).status;
    expect(await act('run-9', 'implement')).toBe(404);
    expect(await act('run-1', 'dance')).toBe(404);
    expect(await act('run-1', 'implement')).toBe(409);
  });

  it('422: is started with a product’s repo and something to do', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/products', {
      method: 'POST',
      body: { name: 'shop', spec: { repos: ['acme/shop', 'acme/api'] } },
    });
    await request('/v1/orgs/acme/agentroles', {
      method: 'POST',
      body: { name: 'writer', spec: { responsibilities: ['Write.'] } },
    });
    const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
    await request('/v1/orgs/acme/agentworkflows', {
      method: 'POST',
      body: { name: 'change', spec: { enabled: true, triggers: [], steps } },
    });
    const start = async (body: object) =>
      request('/v1/orgs/acme/agentworkflowruns', {
        method: 'POST',
        body: { agentWorkflow: 'change', product: 'shop', ...body },
      });
    expect(await (await start({})).json()).toMatchObject({ status: 422, errors: [{ pointer: '/issue' }] });
    expect(await (await start({ issue: 1 })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/target/repo' }],
    });
    expect(await (await start({ target: { repo: 'acme/other', number: 1 } })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/target/repo' }],
    });
    expect((await start({ issue: 1, agentWorkflow: 'none' })).status).toBe(404);
  });
});

it('503: what runs by schedule needs nothing to be started by hand but a repo', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const post = async (path: string, body: object) => request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
  const spec = { repos: ['acme/shop', 'acme/api'] };
  await post('products', { name: 'shop', spec });
  await post('products', { name: 'empty', spec: { repos: [] } });
  await post('agentroles', { name: 'writer', spec: { responsibilities: ['Write.'] } });
  const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
  const triggers = [{ type: 'cron', schedule: '0 9 * * *' }];
  await post('agentworkflows', { name: 'upkeep', spec: { enabled: false, triggers, steps } });
  // It comes as far as the workflow server, which is not there.
  expect((await post('agentworkflowruns', { agentWorkflow: 'upkeep', product: 'shop' })).status).toBe(503);
  const empty = await post('agentworkflowruns', { agentWorkflow: 'upkeep', product: 'empty' });
  expect(await empty.json()).toMatchObject({ status: 422, errors: [{ pointer: '/target/repo' }] });
});

describe('following', () => {
  it('a run shows it now, then each change of it and of its Release', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Pending' });
    await aRun(store, 'run-2', { phase: 'Pending' });
    const response = await request('/v1/orgs/acme/agentworkflowruns/run-1', { headers: sse });
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    const { next, close } = eventsOf(response);
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
    expect(await next()).toMatchObject({ event: 'gone', data: { name: 'run-1' } });
    await close();
  });

  it('a list goes on after the last event that was seen', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Pending' });
    const first = eventsOf(await request('/v1/orgs/acme/agentworkflowruns', { headers: sse }));
    await first.next();
    const { id = '' } = await first.next();
    await first.close();
    await aRun(store, 'run-2', { phase: 'Running' });
    const second = eventsOf(
      await request('/v1/orgs/acme/agentworkflowruns', { headers: { ...sse, 'Last-Event-ID': id } }),
    );
    expect(await second.next()).toMatchObject({ event: 'changed', data: { name: 'run-2' } });
    await second.close();
  });

  it('a filtered list tells when a run no longer belongs to it', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRun(store, 'run-1', { phase: 'Running' });
    const { next, close } = eventsOf(await request('/v1/orgs/acme/agentworkflowruns?phase=Running', { headers: sse }));
    await next();
    await next();
    await setStatus(store, 'run-1', { phase: 'Succeeded' });
    expect(await next()).toMatchObject({ event: 'gone', data: { name: 'run-1' } });
    await close();
  });

  it('ends when the process stops', async () => {
    const closing = new AbortController();
    const { request, store } = await startApi({ role: 'viewer', closing: closing.signal });
    await aRun(store, 'run-1', { phase: 'Running' });
    const { next } = eventsOf(await request('/v1/orgs/acme/agentworkflowruns/run-1', { headers: sse }));
    await next();
    await next();
    closing.abort();
    await expect(next()).rejects.toThrow('The stream has ended.');
  });
});
