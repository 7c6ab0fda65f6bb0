import { expect, it } from 'vitest';
import { AgentRoleKind } from '../../src/rules/agents/kinds.ts';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from '../../api/authenticate.ts';
import { KeptAnswers } from '../../api/show-list.ts';
import { startApi } from '../support/start-api.ts';

const path = '/v1/orgs/acme/agentroles';
type List = { items: { name: string; spec: { responsibilities: string[] }; actions: { allowed: boolean }[] }[] };

async function withRole() {
  const api = await startApi({ role: 'org-admin' });
  const role = await api.store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name: 'writer' },
    spec: { responsibilities: ['Write.'.padEnd(2_000, '!')] },
  });
  const list = async (init = {}): Promise<List> => (await (await api.request(path, init)).json()) as List;
  return { ...api, role, list };
}

it('200: shows at once what has changed since the same was asked before', async () => {
  const { store, role, list } = await withRole();
  expect((await list()).items).toHaveLength(1);
  expect(await list()).toEqual(await list());
  await store.replace(AgentRoleKind, { ...role, spec: { responsibilities: ['Read.'] } });
  expect((await list()).items[0]?.spec.responsibilities).toEqual(['Read.']);
  await store.delete(AgentRoleKind, role.metadata);
  expect((await list()).items).toEqual([]);
});

it('200: shows everybody what they themselves may do', async () => {
  const { list } = await withRole();
  const allowed = async (role: string): Promise<boolean> =>
    (await list({ role })).items.some(({ actions }) => actions.some((action) => action.allowed));
  expect(await allowed('org-admin')).toBe(true);
  expect(await allowed('viewer')).toBe(false);
  expect(await allowed('org-admin')).toBe(true);
});

it('200: is compressed for whoever takes that, when it is asked for again', async () => {
  const { request, list } = await withRole();
  const headers = { 'accept-encoding': 'gzip' };
  const plain = await list();
  const answer = await request(path, { headers });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  const text = await new Response(answer.body?.pipeThrough(new DecompressionStream('gzip'))).text();
  expect(JSON.parse(text)).toEqual(plain);
  expect((await request(path)).headers.has('content-encoding')).toBe(false);
});

it('200: carries what every answer carries, also when it is asked for again', async () => {
  const { request } = await withRole();
  const usual = async (): Promise<object> => {
    const { headers } = await request(path, { headers: { 'x-request-id': 'mine' } });
    return Object.fromEntries([...headers].filter(([name]) => name !== 'content-length'));
  };
  expect(await usual()).toEqual(await usual());
  expect(await usual()).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'mine',
  });
});

it('200: is made once for all who ask at once, and anew for whoever asks after a change', async () => {
  const { store } = await withRole();
  const kept = new KeptAnswers(store);
  let made = 0;
  const gate = Promise.withResolvers<void>();
  const view = async (heard: Store) => {
    made += 1;
    const { items } = await heard.list(AgentRoleKind, { namespace: 'org-acme' });
    await gate.promise;
    return items.length;
  };
  const ask = async (): Promise<string> => new TextDecoder().decode((await kept.make('key', view)).body);
  const atOnce = [ask(), ask(), ask()];
  await store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name: 'reader' },
    spec: { responsibilities: ['Read.'] },
  });
  const after = ask();
  gate.resolve();
  expect(await Promise.all([...atOnce, after])).toEqual(['1', '1', '1', '2']);
  expect(made).toBe(2);
});

it('401: is refused to a token that was revoked, though the answer is kept', async () => {
  const { request, store, tokenOf } = await withRole();
  expect((await request(path)).status).toBe(200);
  const token = (await tokenOf('org-admin')) ?? '';
  await store.delete(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) });
  expect((await request(path)).status).toBe(401);
});
