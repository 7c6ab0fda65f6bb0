import { expect, it, onTestFinished } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { loadConfig } from '../../../src/config.ts';
import { AccessGroupKind, ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { WatchExpiredError, type Store } from '../../../src/store/store.ts';
import { readEvents } from '../../support/read-events.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

const path = '/v1/orgs/acme/releases';
const headers = { Accept: 'text/event-stream' };

const namespace = 'org-acme';
const createRelease = async (store: Store, name: string) =>
  await store.create(ReleaseKind, {
    metadata: { namespace, name },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' },
  });

/** Opens a stream that has sent its snapshot; `rest` is what it sends until it ends. */
async function openStream(api: ApiHarness, streamPath = path) {
  const response = await api.request(streamPath, { headers });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  let snapshot = '';
  while (!snapshot.includes('id: ')) snapshot += await read();
  const readUntil = async (isLast: (text: string, part: string) => boolean): Promise<string> => {
    let text = '';
    for (let part = await read(); ; part = await read()) {
      text += part;
      if (isLast(text, part)) return text;
    }
  };
  const rest = async (): Promise<string> => await readUntil((_, part) => part === '');
  return { rest, readUntil };
}

it('ends a stream at once when its token is revoked, without waiting for a heartbeat', async () => {
  const api = await startApi({ role: 'viewer', streamHeartbeatMs: 600_000 });
  const { rest } = await openStream(api);
  const name = tokenName((await api.tokenFor('viewer')) ?? '');
  await api.store.delete(ApiTokenKind, { namespace: systemNamespace, name });
  // The text is complete only if the stream ends.
  expect(await rest()).toContain('event: closed\ndata: {"reason":"token-revoked"');
});

it('tells that an item has left a filtered stream only if it was in it', async () => {
  const api = await startApi({ role: 'viewer', streamHeartbeatMs: 20 });
  for (const name of ['shop-v1.0.0', 'shop-v1.1.0']) await createRelease(api.store, name);
  const setPhase = async (name: string, phase: 'Building' | 'Failed') =>
    await api.store.updateStatus(ReleaseKind, { namespace, name }, () => ({ phase, zones: [] }));
  await setPhase('shop-v1.0.0', 'Building');
  await setPhase('shop-v1.1.0', 'Failed');
  const { readUntil } = await openStream(api, `${path}?phase=Building`);
  await api.store.delete(ReleaseKind, { namespace, name: 'shop-v1.1.0' });
  await setPhase('shop-v1.0.0', 'Failed');
  await api.store.delete(ReleaseKind, { namespace, name: 'shop-v1.0.0' });
  await createRelease(api.store, 'shop-v1.2.0');
  await setPhase('shop-v1.2.0', 'Building');
  const isLast = (text: string): boolean => /"name":"shop-v1.2.0"[^]*\n\n/.test(text);
  const events = [...(await readUntil(isLast)).matchAll(/event: (\w+)\ndata: .*?"name":"(.*?)"/g)];
  expect(events.map(([, event, item]) => `${event} ${item}`)).toEqual(['deleted shop-v1.0.0', 'changed shop-v1.2.0']);
});

it.each([
  ['the token was revoked', 'token-revoked'],
  ['the role was lost', 'insufficient-role'],
])('sends no event after %s, but the reason', async (_what, reason) => {
  const api = await startApi({ role: 'viewer' });
  const { rest } = await openStream(api);
  await createRelease(api.store, 'shop-v1.0.0');
  if (reason === 'token-revoked') {
    const name = tokenName((await api.tokenFor('viewer')) ?? '');
    await api.store.delete(ApiTokenKind, { namespace: systemNamespace, name });
  } else await api.store.delete(AccessGroupKind, { namespace, name: 'viewers' });
  await createRelease(api.store, 'shop-v1.1.0');
  const text = await rest();
  expect(text).toContain(`event: closed\ndata: {"reason":"${reason}"`);
  expect(text).not.toContain('shop-v1.1.0');
});

it('429: limits the open streams of a person, and counts only those that are still open', async () => {
  const quotas = { ...loadConfig({}).quotas, streamsPerUser: 2 };
  const { request } = await startApi({ role: 'viewer', config: { quotas }, streamHeartbeatMs: 20 });
  const open = async (role?: 'member') => await request(path, { headers, ...(role && { role }) });
  const [first] = [await open(), await open()];
  expect(await (await open()).json()).toMatchObject({
    status: 429,
    reason: 'quota-reached',
    detail: expect.stringContaining('2 open event streams (QUOTA_STREAMS_PER_USER)'),
  });
  expect((await open('member')).status).toBe(200);
  await first?.body?.cancel();
  await expect.poll(async () => (await open()).status).toBe(200);
});

const resume = async ({ request }: ApiHarness, streamPath: string, id: string) => {
  const response = await request(streamPath, { headers: { ...headers, 'Last-Event-ID': id } });
  const { next, close } = readEvents(response);
  onTestFinished(async () => await close().catch(() => undefined));
  return { next, describeNext: async () => describeEvent(await next()) };
};
const describeEvent = ({ event, data, id }: { event?: string; data?: Record<string, unknown>; id?: string }): string =>
  [
    event ?? 'snapshot end',
    ...(data?.['name'] === undefined ? [] : [String(data['name'])]),
    ...(id ? ['id'] : []),
  ].join(' ');

it('resumes after the event that the client names, and sends a snapshot for an id that is not of the stream', async () => {
  const api = await startApi({ role: 'viewer' });
  const { metadata } = await createRelease(api.store, 'shop-v1.0.0');
  await createRelease(api.store, 'shop-v1.1.0');
  const { next, describeNext } = await resume(api, path, metadata.resourceVersion);
  expect(await describeNext()).toBe('changed shop-v1.1.0 id');
  await api.store.delete(ReleaseKind, { namespace, name: 'shop-v1.0.0' });
  // The client may have it, although this stream has not sent it.
  expect((await next()).data).toEqual({ name: 'shop-v1.0.0', resourceVersion: expect.stringMatching(/^\d+$/) });
  const other = await resume(api, path, 'made-up');
  expect([await other.describeNext(), await other.describeNext()]).toEqual(['changed shop-v1.1.0', 'snapshot end id']);
  // A stream of one item always begins with it.
  const last = await api.store.get(ReleaseKind, { namespace, name: 'shop-v1.1.0' });
  const item = await resume(api, `${path}/shop-v1.1.0`, last.metadata.resourceVersion);
  expect([await item.describeNext(), await item.describeNext()]).toEqual(['changed shop-v1.1.0', 'snapshot end id']);
});

it('sends all items again when the changes since the last one are not kept any more', async () => {
  const store = openTestStore();
  let expiries = 0;
  const watch: Store['watch'] = (kind, options) => {
    if (kind.kind !== ReleaseKind.kind || (expiries += 1) > 2) return store.watch(kind, options);
    throw new WatchExpiredError(kind.kind);
  };
  const api = await startApi({ role: 'viewer', store: { ...store, watch } });
  await createRelease(store, 'shop-v1.0.0');
  const { describeNext } = await resume(api, path, '1');
  const snapshot = ['relist', 'changed shop-v1.0.0', 'snapshot end id'];
  const seen = [];
  for (let at = 0; at < 6; at += 1) seen.push(await describeNext());
  expect(seen).toEqual([...snapshot, ...snapshot]);
});

it('sends a run again when its Release changes, and nothing when that of another run does', async () => {
  const api = await startApi({ role: 'viewer' });
  const metadata = { namespace, name: 'run-1' };
  await api.store.create(AgentWorkflowRunKind, {
    metadata,
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo@example.com', steps: [], roles: {} },
  });
  const status = { phase: 'Running' as const, mergeCommit: 'c', steps: [] };
  await api.store.updateStatus(AgentWorkflowRunKind, metadata, () => status);
  const { describeNext, next } = await resume(api, '/v1/orgs/acme/agentworkflowruns/run-1', '');
  expect([await describeNext(), await describeNext()]).toEqual(['changed run-1', 'snapshot end id']);
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
  for (const run of ['run-2', 'run-1'])
    await api.store.create(ReleaseKind, {
      metadata: { namespace, name: `shop-of-${run}`, labels: { [runLabel]: run } },
      spec,
    });
  expect((await next()).data).toMatchObject({ name: 'run-1', release: 'shop-of-run-1' });
});
