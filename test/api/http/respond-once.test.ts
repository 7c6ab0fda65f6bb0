import { describe, expect, it } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { requestLabels } from '../../../src/rules/expiry.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';

type Post = { path?: string; key?: string; body?: object; role?: CallerRole };

async function start(now?: () => Date) {
  const api = await startApi(now ? { now } : {});
  const post = async ({ path = '/v1/orgs/acme/agentroles', key = 'one', body = writer, role }: Post = {}) =>
    await api.request(path, { method: 'POST', body, headers: { 'Idempotency-Key': key }, ...(role && { role }) });
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
    const label = { path: '/v1/me/tokens', body: { label: 'ci' } };
    const bodies = await Promise.all(Array.from({ length: 10 }, async () => await (await post(label)).text()));
    expect(new Set(bodies).size).toBe(1);
    const { items } = (await (await request('/v1/me/tokens')).json()) as { items: { label: string }[] };
    expect(items.filter((token) => token.label === 'ci')).toHaveLength(1);
  });

  it('keeps no token in clear', async () => {
    const { post, listRecords } = await start();
    const { token } = (await (await post({ path: '/v1/me/tokens', body: { label: 'ci' } })).json()) as {
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
    const minted = await request('/v1/me/tokens', { method: 'POST', body: { label: 'second' } });
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
    expect((await post({ path: '/v1/me/tokens', body: { label: 'ci' } })).status).toBe(201);
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
    const { post, store, request, listRecords } = await start(() => new Date(time));
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
  'receiveCodehostDelivery',
  'redeemDeviceCode',
  'signIn',
  'signInToZone',
  'startDeviceSignIn',
];

it('is documented for every POST of a caller, except for an upload', async () => {
  const { request } = await start();
  const { paths } = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; parameters?: object[] }>>;
  };
  const posts = Object.values(paths).flatMap(({ post }) => (post ? [post] : []));
  expect(posts.length).toBeGreaterThan(25);
  const undocumented = posts.filter(({ parameters }) => !JSON.stringify(parameters ?? []).includes('Idempotency'));
  expect(undocumented.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...withoutCaller, 'uploadArchive'].toSorted(),
  );
});
