import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import { requestLabels } from '../../../src/rules/expiry.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';

type Operation = { operationId: string; parameters?: object[]; responses: Record<string, { headers?: object }> };
type Post = { path?: string; key?: string; body?: object; role?: CallerRole };
const tokensPath = '/v1/me/tokens';

async function start(options: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi(options);
  const post = async ({ path = '/v1/orgs/acme/agentroles', key = 'one', role, ...content }: Post = {}) => {
    const headers = { 'Idempotency-Key': key };
    const body = content.body ?? (path.endsWith('/sign-out') ? undefined : writer);
    const via = path === tokensPath ? 'session' : 'token';
    return await api.request(path, { method: 'POST', headers, body, via, ...(role && { role }) });
  };
  const listRecords = async () => (await api.store.list(ConfigMapKind, { labels: requestLabels })).items;
  return { ...api, post, listRecords };
}
const writer = { name: 'writer', spec: { responsibilities: ['Write it.'] } };

describe('a POST with an Idempotency-Key', () => {
  it('201: is answered again as the first time, and marked', async () => {
    const { post } = await start();
    const [first, second] = [await post(), await post()];
    expect([first.status, first.headers.has('Idempotent-Replayed')]).toEqual([201, false]);
    expect([second.status, second.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
    for (const name of ['Location', 'ETag', 'Content-Type'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect(await second.json()).toEqual(await first.json());
  });

  it('201: takes effect once when it is sent ten times at once', async () => {
    const { post, request } = await start();
    const label = { path: tokensPath, body: { label: 'ci' } };
    const bodies = await Promise.all(Array.from({ length: 10 }, async () => await (await post(label)).text()));
    expect(new Set(bodies).size).toBe(1);
    const { items } = (await (await request(tokensPath)).json()) as { items: { label: string }[] };
    expect(items.filter((token) => token.label === 'ci')).toHaveLength(1);
  });

  it('keeps no token in clear', async () => {
    const { post, listRecords } = await start();
    const { token } = (await (await post({ path: tokensPath, body: { label: 'ci' } })).json()) as {
      token: string;
    };
    const records = await listRecords();
    expect(records).toHaveLength(1);
    const stored = JSON.stringify(records);
    const decoded = Buffer.from(records[0]?.data?.['response'] ?? '', 'base64url').toString('latin1');
    expect(stored.includes(token) || decoded.includes(token)).toBe(false);
  });

  it('422: is rejected with another body, and with another token of the same person', async () => {
    const { post, request, tokenFor } = await start();
    await post();
    const other = await post({ body: { ...writer, name: 'reader' } });
    expect([other.status, await other.json()]).toEqual([
      422,
      expect.objectContaining({ reason: 'idempotency-key-reused' }),
    ]);
    const minted = await request(tokensPath, { method: 'POST', via: 'session', body: { label: 'second' } });
    const { token } = (await minted.json()) as { token: string };
    expect(token).not.toBe(await tokenFor('platform-admin'));
    const headers = { 'Idempotency-Key': 'one', Authorization: `Bearer ${token}` };
    const path = '/v1/orgs/acme/agentroles';
    expect((await request(path, { method: 'POST', body: writer, headers })).status).toBe(422);
  });

  it('takes effect for each caller, path and key', async () => {
    const { post } = await start();
    await post();
    expect((await post({ role: 'org-admin' })).status).toBe(409);
    expect((await post({ key: 'two' })).status).toBe(409);
    expect((await post({ path: tokensPath, body: { label: 'ci' } })).status).toBe(201);
  });

  it('may be repeated after it failed', async () => {
    const { post, request, listRecords } = await start();
    await post({ key: 'first' });
    expect((await post()).status).toBe(409);
    expect(await listRecords()).toHaveLength(1);
    await request('/v1/orgs/acme/agentroles/writer', { method: 'DELETE' });
    expect((await post()).status).toBe(201);
  });

  it('409: waits for a process that works on it, and takes over when that process has failed', async () => {
    let time = Date.now();
    const { post, store, request, listRecords } = await start({ now: () => new Date(time) });
    await post();
    const [record] = await listRecords();
    const claim = { digest: record?.data?.['digest'] ?? '', claimedAt: new Date(time).toISOString() };
    if (record) await store.replace(ConfigMapKind, { ...record, data: claim });
    await request('/v1/orgs/acme/agentroles/writer', { method: 'DELETE' });
    const waiting = await post();
    expect([waiting.status, waiting.headers.get('Retry-After')]).toEqual([409, '1']);
    time += 61_000;
    expect((await post()).status).toBe(201);
  });

  it('keeps the response to a retry that has taken over from it, when it fails after that', async () => {
    const store = openTestStore();
    const create: Store['create'] = async (kind, object) => {
      if (kind.kind !== AgentRoleKind.kind) return await store.create(kind, object);
      const { items } = await store.list(ConfigMapKind, { labels: requestLabels });
      for (const { data, ...record } of items)
        await store.replace(ConfigMapKind, { ...record, data: { ...data, response: 'of the retry' } });
      throw new ServiceError('already-exists', 'The retry has created the role.');
    };
    const { post, listRecords } = await start({ store: { ...store, create } });
    const failed = await post();
    expect([failed.status, await failed.json()]).toMatchObject([409, { reason: 'already-exists' }]);
    expect((await listRecords()).map(({ data }) => data?.['response'])).toEqual(['of the retry']);
  });

  it('409: is rejected when another process claims the key at the same moment', async () => {
    const store = openTestStore();
    const create: Store['create'] = async (kind, object) => {
      // The other process is faster.
      if (kind.kind === ConfigMapKind.kind) await store.create(kind, object);
      return await store.create(kind, object);
    };
    const { post } = await start({ store: { ...store, create } });
    const response = await post();
    expect([response.status, await response.json()]).toEqual([
      409,
      expect.objectContaining({ reason: 'request-in-progress' }),
    ]);
    expect(await store.find(AgentRoleKind, { namespace: 'org-acme', name: 'writer' })).toBeUndefined();
  });

  it('201: takes effect although an earlier one, that it waited for, has failed', async () => {
    const store = openTestStore();
    let creations = 0;
    const create: Store['create'] = async (kind, object) => {
      if (kind.kind === AgentRoleKind.kind && (creations += 1) === 1)
        throw new ServiceError('already-exists', 'The role is still being deleted.');
      return await store.create(kind, object);
    };
    const { post } = await start({ store: { ...store, create } });
    const both = await Promise.all([post(), post()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it.each(['create', 'replace'] as const)('is not repeated if the store fails to %s its record', async (failing) => {
    const store = openTestStore();
    const lines: string[] = [];
    const write = (_fields: object, text: string): void => void lines.push(text);
    const log = { debug: () => {}, info: () => {}, warn: write, error: write };
    const fail: Store['create'] = async (kind, object) => {
      if (object.metadata.name.startsWith('request-')) throw new Error('The store is away.');
      return await store[failing](kind, object as never);
    };
    const { post } = await start({ store: { ...store, [failing]: fail }, log });
    const outcomes = {
      create: { status: 500, lines: ['Request failed', 'Request'], created: false },
      replace: { status: 201, lines: ['Failed to store the response to a request'], created: true },
    };
    const { status } = await post();
    const role = await store.find(AgentRoleKind, { namespace: 'org-acme', name: 'writer' });
    expect({ status, lines, created: role !== undefined }).toEqual(outcomes[failing]);
  });

  it('204: is answered again without a body', async () => {
    const { post } = await start();
    const signOut = async () => await post({ path: '/v1/auth/sign-out' });
    const [first, second] = [await signOut(), await signOut()];
    expect([first.status, second.status]).toEqual([204, 204]);
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
  });

  it.each(['nosuch', 'a'.repeat(200), 'with.dots'])(
    '404: keeps no record in the org %s that does not exist',
    async (org) => {
      const { post, listRecords } = await start();
      const response = await post({ path: `/v1/orgs/${org}/agentroles` });
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ reason: 'not-found' })]);
      expect(await listRecords()).toEqual([]);
    },
  );

  it('422: is rejected with a key that is too long', async () => {
    const { post } = await start();
    expect((await post({ key: 'k'.repeat(201) })).status).toBe(422);
  });
});

/** These need no token or session, so there is no caller to tell keys apart. */
const withoutCaller = [
  'createRootUser',
  'receiveAlerts',
  'receiveCodehostDelivery',
  'redeemDeviceCode',
  'signIn',
  'signInToZone',
  'startDeviceSignIn',
];

it('is documented for every POST of a caller, except for an upload', async () => {
  const { request } = await start();
  const { paths } = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.entries(item));
  const posts = operations.flatMap(([method, operation]) => (method === 'post' ? [operation] : []));
  expect(posts.length).toBeGreaterThan(25);
  const isDocumented = ({ parameters }: Operation): boolean => JSON.stringify(parameters ?? []).includes('Idempotency');
  const undocumented = posts.filter((operation) => !isDocumented(operation));
  expect(undocumented.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...withoutCaller, 'uploadArchive'].toSorted(),
  );
  const replayed = operations.flatMap(([, { operationId, responses }]) =>
    Object.entries(responses).flatMap(([status, { headers = {} }]) =>
      'Idempotent-Replayed' in headers ? [`${operationId} ${status.charAt(0)}xx`] : [],
    ),
  );
  const repeatable = operations.flatMap(([, operation]) => (isDocumented(operation) ? [operation.operationId] : []));
  expect(repeatable.filter((name) => !posts.some(({ operationId }) => operationId === name))).toEqual([]);
  expect(new Set(replayed)).toEqual(new Set(repeatable.map((name) => `${name} 2xx`)));
});
