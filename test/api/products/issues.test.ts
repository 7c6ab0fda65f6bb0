import type { Client } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { createFolder, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { startApi } from '../../support/start-api.ts';
import { connectTemporal, describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { createIssueStart } from '../../../workflows/products/messages.ts';

const namespace = 'org-acme';
type Board = {
  items: { repo: string; number: number; column: string; change?: { run: string; phase: string }; actions: object[] }[];
  columns: { name: string; count: number }[];
  creating?: number;
  continue?: string;
};

/** Creates a Product with two repos in the code host emulator. */
async function aBoard({ temporal, product: name = 'shop' }: { temporal?: Client; product?: string } = {}) {
  const { codehost, app } = await startShopFixture();
  await codehost.seedRepository('acme/till', await createFolder({ 'README.md': 'till\n' }));
  const send = async (method: string, path: string, body: object): Promise<number> => {
    const response = await fetch(`${codehost.apiUrl}/repos/acme/${path}`, {
      method,
      headers: { authorization: `token ${codehost.userToken}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { number: number }).number;
  };
  const issue = async (repo: string, title: string, labels: string[] = []): Promise<number> =>
    await send('POST', `${repo}/issues`, { title, labels });
  const close = async (repo: string, number: number, reason = 'completed'): Promise<unknown> =>
    await send('PATCH', `${repo}/issues/${number}`, { state: 'closed', state_reason: reason });
  const rename = async (repo: string, number: number, title: string): Promise<unknown> =>
    await send('PATCH', `${repo}/issues/${number}`, { title });
  await close('shop', await issue('shop', 'Closed before the Product existed'));
  // The code host's times are whole seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const api = await startApi({ role: 'member', codehostApiUrl: codehost.apiUrl, ...(temporal && { temporal }) });
  const data = { 'app-id': String(app.id), 'private-key': app.pem };
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await api.store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: Object.fromEntries(encoded) as Record<string, string>,
  });
  const product = await api.store.create(ProductKind, {
    metadata: { namespace, name },
    spec: { repos: ['acme/shop', 'acme/till'], delivery: { zones: [] } },
  });
  const run = async (name: string, number: number, status: Omit<RunStatus, 'steps'>): Promise<void> => {
    const { steps } = defaultAgentWorkflows.change;
    const { metadata } = await api.store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name },
      spec: {
        agentWorkflow: 'change',
        product: 'shop',
        target: { repo: 'acme/shop', number },
        startedBy: 'jo',
        steps: [...steps],
        roles: {},
      },
    });
    await api.store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ ...status, steps: [] }));
  };
  const board = async (query = ''): Promise<Board> => {
    const response = await api.request(`/v1/orgs/acme/products/${name}/issues${query}`);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Board;
  };
  return { api, product, issue, close, rename, run, board };
}

const listPositions = ({ items }: Board): string[] =>
  items.map(({ repo, number, column }) => `${column} ${repo}#${number}`);

describe('listIssues', () => {
  it('200: assigns each issue to a column by its state and its latest Change', async () => {
    const { issue, close, run, board } = await aBoard();
    const [idle, worked, waiting, done] = [
      await issue('shop', 'Idle'),
      await issue('shop', 'Worked on'),
      await issue('shop', 'Waiting'),
      await issue('shop', 'Done'),
    ];
    await close('shop', done);
    await close('shop', await issue('shop', 'Never'), 'not_planned');
    await close('shop', await issue('shop', 'Announced', ['service:announced']));
    await issue('till', 'Of the other repo');
    await run('first', worked, { phase: 'Failed' });
    await run('second', worked, { phase: 'Running' });
    await run('third', waiting, { phase: 'WaitingForPerson' });
    const all = await board();
    expect(listPositions(all)).toEqual([
      `Backlog acme/shop#${idle}`,
      'Backlog acme/till#1',
      `In progress acme/shop#${worked}`,
      `Review acme/shop#${waiting}`,
      `Done acme/shop#${done}`,
    ]);
    expect(all.columns).toEqual([
      { name: 'Backlog', count: 2 },
      { name: 'In progress', count: 1 },
      { name: 'Review', count: 1 },
      { name: 'Done', count: 1 },
    ]);
    expect(all.items[2]).toMatchObject({ change: { run: 'second', phase: 'Running' } });
    expect(all.items.map(({ actions }) => actions[0])).toEqual([
      { name: 'startRun', allowed: true },
      { name: 'startRun', allowed: true },
      {
        name: 'startRun',
        allowed: false,
        reason: 'state-conflict',
        message: 'The run "second" is in progress for the issue.',
      },
      {
        name: 'startRun',
        allowed: false,
        reason: 'state-conflict',
        message: 'The run "third" is in progress for the issue.',
      },
      { name: 'startRun', allowed: false, reason: 'state-conflict', message: 'The issue is closed.' },
    ]);

    expect(listPositions(await board('?column=Review'))).toEqual([`Review acme/shop#${waiting}`]);
    expect(listPositions(await board('?repo=acme/till'))).toEqual(['Backlog acme/till#1']);
    const first = await board('?limit=3');
    expect(first.items).toHaveLength(3);
    expect(listPositions(await board(`?limit=3&continue=${encodeURIComponent(first.continue ?? '')}`))).toHaveLength(2);
  });

  it('200: does not show an issue that was closed before the Product existed and changed since', async () => {
    const { rename, board } = await aBoard();
    await rename('shop', 1, 'Closed long ago');
    expect(listPositions(await board())).toEqual([]);
  });

  it('200: shows an issue that was closed since the last request in its new column', async () => {
    const { issue, close, board } = await aBoard();
    const number = await issue('shop', 'Short');
    expect(listPositions(await board())).toEqual([`Backlog acme/shop#${number}`]);
    await close('shop', number);
    expect(listPositions(await board())).toEqual([`Done acme/shop#${number}`]);
  });

  it('422: rejects a repo that does not belong to the Product', async () => {
    const { api } = await aBoard();
    expect((await api.request('/v1/orgs/acme/products/shop/issues?repo=acme/other')).status).toBe(422);
  });

  it('409: requires that the org is connected to its code host', async () => {
    const { request } = await startApi();
    const body = { name: 'shop', spec: { repos: ['acme/shop'] } };
    await request('/v1/orgs/acme/products', { method: 'POST', body });
    const response = await request('/v1/orgs/acme/products/shop/issues');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining('is not connected to its code host'),
    });
  });
});

describeWithTemporal('listIssues with a workflow server', () => {
  it('200: counts the issues of the Product that are being created', async () => {
    const { client, taskQueue, close } = await connectTemporal();
    onTestFinished(close);
    const { board } = await aBoard({ temporal: client, product: taskQueue });
    expect(await board()).toMatchObject({ items: [], creating: 0 });
    // Nothing polls the task queue, so the workflows go on.
    const workflows = [taskQueue, 'other'].map((product) =>
      createIssueStart({
        org: 'acme',
        product,
        repo: 'acme/shop',
        requestId: `${taskQueue}-${product}`,
        payloadKey: '',
      }),
    );
    for (const { type, options } of workflows) {
      const handle = await client.workflow.start(type, { ...options, taskQueue });
      onTestFinished(async () => void (await handle.terminate()));
    }
    await expect.poll(async () => (await board()).creating).toBe(1);
  });
});

describe('createIssue', () => {
  const path = '/v1/orgs/acme/products/shop/issues';

  it('422: requires a repo if the Product has several', async () => {
    const { api } = await aBoard();
    const response = await api.request(path, { method: 'POST', body: { title: 'A bug' } });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/repo' }] });
  });

  it('422: rejects a title that looks like another one', async () => {
    const { api } = await aBoard();
    for (const title of ['Fix the \u202egol', 'A\u200bbug', 'A bug\nCo-authored-by: x'])
      expect(
        await (await api.request(path, { method: 'POST', body: { title, repo: 'acme/shop' } })).json(),
      ).toMatchObject({ status: 422, errors: [{ pointer: '/title' }] });
  });

  it('201: returns the issue without a Location, because no operation reads one issue', async () => {
    const issue = { number: 0 };
    const temporal = {
      withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
      workflow: { start: async () => {}, getHandle: () => ({ result: async () => issue }) },
    } as unknown as Client;
    const board = await aBoard({ temporal });
    issue.number = await board.issue('shop', 'A bug');
    const response = await board.api.request(path, { method: 'POST', body: { title: 'A bug', repo: 'acme/shop' } });
    expect([response.status, await response.json()]).toMatchObject([201, { number: issue.number, title: 'A bug' }]);
    expect(response.headers.has('Location')).toBe(false);
  });

  it('503: stores the text of the issue before it starts the workflow', async () => {
    const { api } = await aBoard();
    const request = async (title: string): Promise<number> => {
      const headers = { 'Idempotency-Key': 'key-1' };
      return (await api.request(path, { method: 'POST', body: { title, repo: 'acme/shop' }, headers })).status;
    };
    expect(await request('A bug')).toBe(503);
    // The same key with another text is rejected because the first text is stored.
    expect(await request('Another bug')).toBe(422);
  });
});

describe('labelIssue', () => {
  it('422: requires a label and a repo; 404: requires an existing issue', async () => {
    const { api, issue } = await aBoard();
    const number = await issue('shop', 'Short');
    const label = async (target: number, body: object) =>
      (await api.request(`/v1/orgs/acme/products/shop/issues/${target}/labels`, { method: 'POST', body })).status;
    expect(await label(number, { repo: 'acme/shop' })).toBe(422);
    expect(await label(number, { add: ['bug'] })).toBe(422);
    expect(await label(number, { add: [' '], repo: 'acme/shop' })).toBe(422);
    // The request is valid and reaches Temporal, which is unavailable.
    expect(await label(number, { add: ['?'], repo: 'acme/shop' })).toBe(503);
    expect(await label(99, { add: ['bug'], repo: 'acme/shop' })).toBe(404);
  });
});
