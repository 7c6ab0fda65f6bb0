import { expect, it } from 'vitest';
import { catalogAgentWorkflows } from '../../../src/rules/agents/catalog.ts';
import { ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import { aFolder, aShop } from '../../local/codehost/a-codehost.ts';
import { startApi } from '../../support/start-api.ts';

const namespace = 'org-acme';
type Board = {
  items: { repo: string; number: number; column: string; change?: { run: string; phase: string }; actions: object[] }[];
  columns: { name: string; count: number }[];
  continue?: string;
};

/** A Product of two repos on the real code-host protocol. */
async function aBoard() {
  const { codehost, app } = await aShop();
  await codehost.seedRepository('acme/till', await aFolder({ 'README.md': 'till\n' }));
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
  await close('shop', await issue('shop', 'Closed before there was the Product'));
  // The code host's times are whole seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const api = await startApi({ role: 'member', codehostApiUrl: codehost.apiUrl });
  const data = { 'app-id': String(app.id), 'private-key': app.pem };
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await api.store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: Object.fromEntries(encoded) as Record<string, string>,
  });
  const product = await api.store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop', 'acme/till'], delivery: { zones: [] } },
  });
  const run = async (name: string, number: number, status: Omit<RunStatus, 'steps'>): Promise<void> => {
    const { steps } = catalogAgentWorkflows.change;
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
    const response = await api.request(`/v1/orgs/acme/products/shop/issues${query}`);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Board;
  };
  return { api, product, issue, close, run, board };
}

const placed = ({ items }: Board): string[] => items.map(({ repo, number, column }) => `${column} ${repo}#${number}`);

it('200: has every issue of the Product’s repos in its column, by what the code host and the runs say', async () => {
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
  expect(placed(all)).toEqual([
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
    { name: 'startRun', allowed: false, why: 'The run "second" is going on for it.' },
    { name: 'startRun', allowed: false, why: 'The run "third" is going on for it.' },
    { name: 'startRun', allowed: false, why: 'The issue is closed.' },
  ]);

  expect(placed(await board('?column=Review'))).toEqual([`Review acme/shop#${waiting}`]);
  expect(placed(await board('?repo=acme/till'))).toEqual(['Backlog acme/till#1']);
  const first = await board('?limit=3');
  expect(first.items).toHaveLength(3);
  expect(placed(await board(`?limit=3&continue=${encodeURIComponent(first.continue ?? '')}`))).toHaveLength(2);
});

it('200: shows what changed on the code host at the next look', async () => {
  const { issue, close, board } = await aBoard();
  const number = await issue('shop', 'Short');
  expect(placed(await board())).toEqual([`Backlog acme/shop#${number}`]);
  await close('shop', number);
  expect(placed(await board())).toEqual([`Done acme/shop#${number}`]);
});

it('422: knows no repo that is not the Product’s, and labels nothing without a label', async () => {
  const { api, issue } = await aBoard();
  const number = await issue('shop', 'Short');
  expect((await api.request('/v1/orgs/acme/products/shop/issues?repo=acme/other')).status).toBe(422);
  const label = async (of: number, body: object) =>
    (await api.request(`/v1/orgs/acme/products/shop/issues/${of}/labels`, { method: 'POST', body })).status;
  expect(await label(number, { repo: 'acme/shop' })).toBe(422);
  expect(await label(number, { add: ['bug'] })).toBe(422);
  expect(await label(99, { add: ['bug'], repo: 'acme/shop' })).toBe(404);
});
