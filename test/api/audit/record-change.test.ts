import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unrecordedOperations } from '../../../api/audit/unrecorded-operations.ts';
import { ServiceError } from '../../../src/errors.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createOrg, startApi, type ApiHarness } from '../../support/start-api.ts';
import { buildAlert, startShop } from '../incidents/shop-with-incidents.ts';

type Operation = {
  operationId: string;
  'x-role': string;
  'x-credential'?: string;
  requestBody?: { content: Record<string, { example?: unknown }> };
};
type Call = Operation & { method: string; path: string };

/** Lists the calls of all operations but reads: first those that need a session, and the deletion of the org last. */
async function listChanges({ request }: ApiHarness): Promise<Call[]> {
  const { paths } = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const calls = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), template })),
  );
  const changes = calls
    .filter(({ method }) => method !== 'GET')
    .map(({ template, ...call }) => {
      const path = template
        .replace('{org}', 'acme')
        .replace('{number}', '1')
        .replaceAll(/\{\w+\}/g, 'some');
      return { ...call, path: call.operationId === 'deleteOrg' ? `${path}?confirm=acme` : path };
    });
  const toRank = (call: Call): number => Number(toVia(call) === 'token') + Number(call.path.includes('?'));
  return changes.toSorted((one, other) => toRank(one) - toRank(other));
}

const toVia = (operation: Operation) => (operation['x-credential'] === 'any' ? 'token' : 'session');

/** Builds the body from the example that the document shows. */
function toBody({ requestBody }: Operation): { body?: string; headers: Record<string, string> } {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return { headers: {} };
  const body = type === 'application/json' ? JSON.stringify(content?.example ?? {}) : 'x';
  return { body, headers: { 'Content-Type': type } };
}

async function readEntries({ request }: ApiHarness, path: string): Promise<AuditEntry[]> {
  const response = await request(path, { role: 'platform-admin' });
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: AuditEntry[] }).items;
}
const readOrg = async (api: ApiHarness): Promise<AuditEntry[]> => await readEntries(api, '/v1/orgs/acme/audit');
const readInstallation = async (api: ApiHarness): Promise<AuditEntry[]> => await readEntries(api, '/v1/audit');
const readAll = async (api: ApiHarness): Promise<AuditEntry[]> => [
  ...(await readEntries(api, '/v1/orgs/acme/audit?limit=500')),
  ...(await readEntries(api, '/v1/audit?limit=500')),
];

const role = (name: string, text = 'Write it.') => ({ name, spec: { responsibilities: [text] } });
const rolesPath = '/v1/orgs/acme/agentroles';

describe('every operation that is not a read', () => {
  it('leaves exactly one entry, also if its handler refuses it', async () => {
    const api = await startApi();
    const changes = (await listChanges(api)).filter(({ operationId }) => !(operationId in unrecordedOperations));
    const guarded = changes.filter((one) => one['x-role'] !== 'anyone' && one['x-role'] !== 'setup-token');
    expect(guarded.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const change of guarded) {
      const before = await readAll(api);
      const via = toVia(change);
      const { status } = await api.request(change.path, { method: change.method, via, ...toBody(change) });
      const added = (await readAll(api)).filter(({ id }) => !before.some((entry) => entry.id === id));
      const found = added.map(({ operation, status: recorded }) => `${operation} ${recorded}`).join();
      if (found !== `${change.operationId} ${status}`) wrong.push(`${change.operationId} ${status}: ${found}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('an entry', () => {
  it('tells who changed what, from where, with what, and what was before', async () => {
    const api = await startApi({ role: 'org-admin' });
    await api.request(rolesPath, { method: 'POST', body: role('writer') });
    const response = await api.request(`${rolesPath}/writer`, {
      method: 'PUT',
      headers: { 'X-Request-Id': 'of-the-proxy', 'User-Agent': 'curl/8.5.0' },
      body: { spec: { ...role('writer', 'Write it well.').spec, limits: { turns: 5 } }, generation: 1 },
      remoteAddress: '192.0.2.7',
    });
    expect(response.status).toBe(200);
    const [replaced, created] = await readOrg(api);
    expect(replaced).toEqual({
      id: expect.stringMatching(/^\d{8}t\d{9}z-[0-9a-f]{8}$/),
      at: expect.any(String),
      org: 'acme',
      operation: 'replaceAgentRole',
      by: 'org-admin@example.com',
      user: expect.stringMatching(/^user-/),
      via: 'token',
      credential: { name: expect.stringMatching(/^token-/), label: 'test' },
      address: '192.0.2.7',
      userAgent: 'curl/8.5.0',
      requestId: 'of-the-proxy',
      parameters: expect.arrayContaining([
        { name: 'path.name', value: 'writer' },
        { name: 'body.spec.limits.turns', value: 5 },
      ]),
      result: 'succeeded',
      status: 200,
      changes: [
        {
          kind: 'AgentRole',
          name: 'writer',
          action: 'updated',
          fields: [
            { field: 'spec.responsibilities[Write it.]', before: 'Write it.' },
            { field: 'spec.responsibilities[Write it well.]', after: 'Write it well.' },
            { field: 'spec.limits.turns', after: 5 },
          ],
        },
      ],
    });
    expect(created?.changes).toMatchObject([{ kind: 'AgentRole', name: 'writer', action: 'created' }]);
  });

  it('of a deletion keeps what was deleted', async () => {
    const api = await startApi({ role: 'org-admin' });
    await api.request(rolesPath, { method: 'POST', body: role('writer') });
    await api.request(`${rolesPath}/writer`, { method: 'DELETE' });
    const [deleted] = await readOrg(api);
    expect(deleted?.changes).toMatchObject([
      { action: 'deleted', fields: [{ field: 'spec.responsibilities[Write it.]', before: 'Write it.' }] },
    ]);
  });

  it('of many changes tells each of them, so that none hides a role that is granted among the others', async () => {
    const api = await startApi();
    const path = '/v1/orgs/acme/access-groups';
    const put = async (count: number, granted: string, name: string): Promise<number> => {
      const names = Array.from({ length: 199 }, (_, index) => `group-${String(index).padStart(3, '0')}`);
      const padding = names.map((each) => ({ name: each, role: 'viewer', members: listMembers(each, count) }));
      const members = listMembers(name, 20);
      const accessGroups = [...padding, { name, role: granted, members }];
      const headers = { 'If-Match': '*' };
      return (await api.request(path, { method: 'PUT', headers, body: { accessGroups } })).status;
    };
    const listMembers = (group: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${group}.${index}@example.com`);
    expect(await put(3, 'viewer', 'guests')).toBe(200);
    expect(await put(5, 'org-admin', 'guests')).toBe(200);
    const [entry] = await readOrg(api);
    expect(entry?.omittedChanges).toBeUndefined();
    expect(entry?.changes.filter(({ kind }) => kind === 'AccessGroup')).toHaveLength(200);
    expect(entry?.changes.find(({ name }) => name === 'guests')?.fields).toEqual([
      { field: 'spec.role', before: 'viewer', after: 'org-admin' },
    ]);
  });

  it('of a secret tells by fingerprints that it changed', async () => {
    const api = await startApi();
    const created = await api.request('/v1/access/users', {
      method: 'POST',
      via: 'session',
      body: { email: 'ada@example.com', password: 'the first password' },
    });
    const { name } = (await created.json()) as { name: string };
    const body = { password: 'the second password' };
    await api.request(`/v1/access/users/${name}/password`, { method: 'PUT', via: 'session', body });
    const [reset] = await readInstallation(api);
    expect(reset?.parameters).toContainEqual({ name: 'body.password', value: '[secret]' });
    const fingerprint = expect.stringMatching(/^fingerprint [0-9a-f]{16}$/);
    const secret = reset?.changes.find(({ kind }) => kind === 'Secret');
    expect(secret).toMatchObject({ action: 'updated', fields: [{ before: fingerprint, after: fingerprint }] });
    expect(secret?.fields[0]?.before).not.toBe(secret?.fields[0]?.after);
  });

  it('of a request that is repeated with its Idempotency-Key is written once', async () => {
    const api = await startApi();
    const send = async () =>
      await api.request(rolesPath, { method: 'POST', body: role('writer'), headers: { 'Idempotency-Key': 'one' } });
    expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
    expect(await readOrg(api)).toHaveLength(1);
  });

  it('of a handler that refuses tells the reason', async () => {
    const api = await startApi();
    await api.request('/v1/orgs/acme/agentroles/nothing', { method: 'DELETE' });
    expect(await readOrg(api)).toMatchObject([{ result: 'refused', status: 404, reason: 'not-found', changes: [] }]);
  });

  it('of an org is not among those of another one or of the installation', async () => {
    const api = await startApi();
    await createOrg(api.store, 'globex');
    await api.request(rolesPath, { method: 'POST', body: role('writer') });
    expect(await readEntries(api, '/v1/orgs/globex/audit')).toEqual([]);
    expect(await readInstallation(api)).toEqual([]);
  });
});

describe('a change by a person who lacks the role', () => {
  it('is recorded for members of the org, a limited number of times', async () => {
    const at = new Date('2026-11-25T12:00:00Z');
    const api = await startApi({ now: () => at });
    for (let attempt = 0; attempt < 15; attempt += 1)
      await api.request(rolesPath, { method: 'POST', body: role('writer'), role: 'viewer' });
    const entries = await readOrg(api);
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ by: 'viewer@example.com', result: 'refused', reason: 'insufficient-role' });
  });

  it('is not recorded in an org that the person has no role in', async () => {
    const api = await startApi();
    expect((await api.request(rolesPath, { method: 'POST', body: role('x'), role: 'no-role' })).status).toBe(403);
    expect(await readAll(api)).toEqual([]);
  });

  it('is limited too where the handler refuses, and never where it wrote', async () => {
    const at = new Date('2026-11-25T12:00:00Z');
    const api = await startApi({ now: () => at });
    for (let attempt = 0; attempt < 15; attempt += 1) await api.request(`${rolesPath}/x`, { method: 'DELETE' });
    for (let attempt = 0; attempt < 15; attempt += 1)
      await api.request(rolesPath, { method: 'POST', body: role(`writer-${attempt}`) });
    const entries = await readAll(api);
    expect(entries.filter(({ operation }) => operation === 'deleteAgentRole')).toHaveLength(10);
    expect(entries.filter(({ operation }) => operation === 'createAgentRole')).toHaveLength(15);
  });
});

describe('a caller who has not signed in', () => {
  const password = 'correct horse battery staple';
  const setUp = async () => {
    const api = await startApi();
    await api.store.create(SecretKind, {
      metadata: { namespace: systemNamespace, name: 'service-setup' },
      data: toSecretData({ token: 'setup' }),
    });
    const headers = { 'X-Service-Setup-Token': 'setup' };
    const body = { email: 'root@example.com', password };
    expect((await api.request('/v1/setup/root-user', { method: 'POST', headers, body })).status).toBe(201);
    return api;
  };

  it('is the person whose account the change created, or who signed in', async () => {
    const api = await setUp();
    const body = { email: 'root@example.com', password };
    const response = await api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous' });
    expect(response.status).toBe(200);
    expect(await readInstallation(api)).toMatchObject([
      { operation: 'signIn', by: 'root@example.com', via: 'anonymous' },
      { operation: 'createRootUser', by: 'root@example.com' },
    ]);
  });

  it('leaves no entry when the sign-in fails, so that strangers cannot fill the store', async () => {
    const api = await setUp();
    const body = { email: 'root@example.com', password: 'a wrong password' };
    await api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous' });
    expect((await readInstallation(api)).map(({ operation }) => operation)).toEqual(['createRootUser']);
  });
});

describe('the store of entries', () => {
  it('has the entry before the change, and keeps it when the process dies before it is completed', async () => {
    const store = openTestStore();
    let isDead = false;
    const dying = await startApi({
      store: {
        ...store,
        replace: async (kind, object) => {
          if (object.metadata.name.startsWith('audit-')) isDead = true;
          return isDead ? await Promise.reject(new Error('killed')) : await store.replace(kind, object);
        },
      },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    await dying.request(rolesPath, { method: 'POST', body: role('writer') });
    expect(isDead).toBe(true);
    expect(await store.find(AgentRoleKind, { namespace: 'org-acme', name: 'writer' })).toBeDefined();
    expect(await readOrg(dying)).toMatchObject([
      { operation: 'createAgentRole', by: 'platform-admin@example.com', result: 'unknown', changes: [] },
    ]);
  });

  it('503: refuses the change while no entry can be written', async () => {
    const store = openTestStore();
    const api = await startApi({
      store: {
        ...store,
        create: async (kind, object) => {
          if (object.metadata.name.startsWith('audit-')) throw new ServiceError('unavailable', 'The store is away.');
          return await store.create(kind, object);
        },
      },
    });
    expect((await api.request(rolesPath, { method: 'POST', body: role('writer') })).status).toBe(503);
    expect(await store.find(AgentRoleKind, { namespace: 'org-acme', name: 'writer' })).toBeUndefined();
  });

  it('never contains a secret of a request or a resource', async () => {
    const marker = `marker${randomBytes(6).toString('hex')}`;
    const api = await startApi();
    const changes = await listChanges(api);
    /** Puts the marker into each text of a body whose name tells a secret. */
    const withMarker = (value: unknown, name = ''): unknown => {
      if (Array.isArray(value)) return value.map((item) => withMarker(item, name));
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withMarker(item, key)]));
      return /password|key|secret|license|note|text|body/i.test(name) && typeof value === 'string'
        ? `${marker} ${value}`
        : value;
    };
    for (const change of changes) {
      const { body, headers } = toBody(change);
      const isJson = headers['Content-Type'] === 'application/json';
      const sent = isJson ? JSON.stringify(withMarker(JSON.parse(body ?? '{}'))) : body;
      const content = { headers, ...(sent !== undefined && { body: sent }) };
      await api.request(change.path, { method: change.method, via: toVia(change), ...content });
    }
    const stored = await api.store.list(SecretKind, {
      namespace: systemNamespace,
      labels: { 'service.delivery/audit-entry': 'true' },
    });
    const texts = stored.items.map(({ data }) => Buffer.from(data?.['entry'] ?? '', 'base64').toString());
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.join('\n')).toContain('[secret]');
    expect(texts.filter((text) => text.includes(marker))).toEqual([]);
    const exports = await Promise.all(
      ['/v1/audit', '/v1/orgs/acme/audit'].map(async (path) => {
        const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' };
        const response = await api.request(path, { headers });
        return gunzipSync(new Uint8Array(await response.arrayBuffer())).toString();
      }),
    );
    expect(exports.join('')).toContain('"operation":"createUser"');
    expect(exports.join('')).not.toContain(marker);
  });
});

describe('the list of operations that are not recorded', () => {
  it('keeps alerts, which their incident records, out of the log', async () => {
    const shop = await startShop();
    expect(await (await shop.send({ alerts: [buildAlert()] })).json()).toMatchObject({ recorded: 1 });
    expect(await readAll(shop)).toEqual([]);
  });

  it('names only operations that exist, with a reason', async () => {
    const api = await startApi();
    const text = await (await api.request('/openapi.json')).text();
    for (const [name, reason] of Object.entries(unrecordedOperations)) {
      expect(text).toContain(`"operationId":"${name}"`);
      expect(reason).toMatch(/\.$/);
    }
  });
});
