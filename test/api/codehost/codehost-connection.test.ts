import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from '@temporalio/client';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import {
  allPermissions,
  createFolder,
  registerApp,
  startTestCodehost,
} from '../../emulators/codehost/codehost-fixture.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials } from '../auth/session-fixture.ts';

const createdApp = {
  id: 17,
  slug: 'acme-delivery',
  html_url: 'http://codehost.example/apps/acme-delivery',
  client_id: 'Iv1.1',
  client_secret: 'client-secret-text',
  webhook_secret: 'webhook-secret-text',
  pem: 'private-key-text',
};

const readCookie = (response: Response): string => response.headers.get('Set-Cookie')?.split(';')[0] ?? '';

/** Serves the manifest conversion for the code "fresh"; any other code is rejected. */
async function startCodehost(requests: IncomingMessage[] = []): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(request);
    const isAccepted = request.method === 'POST' && request.url === '/app-manifests/fresh/conversions';
    response
      .writeHead(isAccepted ? 201 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(isAccepted ? createdApp : { message: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startConnection(options: Parameters<typeof startApi>[0] = {}) {
  const codehostApiUrl = options.codehostApiUrl ?? (await startCodehost());
  const api = await startApi({ role: 'org-admin', ...options, codehostApiUrl });
  const connect = async () =>
    (await (await api.request('/v1/orgs/acme/codehost/connect', { method: 'POST' })).json()) as {
      action: string;
      manifest: string;
      state: string;
    };
  const finish = async (state: string, code = 'fresh', headers: Record<string, string> = {}) =>
    api.request(`/v1/codehost/callback?code=${code}&state=${state}`, { headers });
  return { ...api, connect, finish };
}

describe('connectCodehost', () => {
  it('200: returns a manifest with the redirect and webhook URLs', async () => {
    const { connect } = await startConnection();
    const { action, manifest, state } = await connect();
    expect(action).toBe(`http://localhost:3000/organizations/acme/settings/apps/new?state=${state}`);
    expect(JSON.parse(manifest)).toMatchObject({
      name: 'acme-delivery',
      hook_attributes: { url: 'http://localhost:8080/api/v1/webhooks/codehost' },
      redirect_url: 'http://localhost:8080/api/v1/codehost/callback',
      public: false,
      default_events: ['issues', 'pull_request'],
    });
  });
});

describe('finishCodehostConnection', () => {
  it('200: stores the credentials, and no response contains them', async () => {
    const { connect, finish, request, store } = await startConnection();
    expect(await (await request('/v1/orgs/acme/codehost')).json()).toMatchObject({ connected: false });
    const response = await finish((await connect()).state);
    expect(response.status).toBe(200);
    const responses = (await response.text()) + (await (await request('/v1/orgs/acme/codehost')).text());
    expect(responses).toContain('acme-delivery');
    expect(responses).not.toMatch(/-secret-text|private-key-text/);
    const { data = {} } = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    expect(Object.keys(data).toSorted()).toEqual([
      'app-id',
      'client-id',
      'client-secret',
      'private-key',
      'slug',
      'url',
      'webhook-secret',
    ]);
    expect(Buffer.from(data['private-key'] ?? '', 'base64').toString()).toBe('private-key-text');
  });

  it('200: keeps the previous webhook secret when it connects again, and renders a page for browsers', async () => {
    const { connect, finish, store } = await startConnection();
    await finish((await connect()).state);
    const response = await finish((await connect()).state, 'fresh', { Accept: 'text/html' });
    expect(await response.text()).toContain('The org acme is connected');
    const { data } = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    expect(data?.['webhook-secret-previous']).toBe(data?.['webhook-secret']);
    const expires = Buffer.from(data?.['webhook-secret-previous-expires'] ?? '', 'base64').toString();
    expect((Date.parse(expires) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
  });

  it('401: redeems a state once, and only for an hour', async () => {
    let now = Date.now();
    const { connect, finish } = await startConnection({ now: () => new Date(now) });
    const { state } = await connect();
    const both = await Promise.all([finish(state), finish(state)]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
    const late = await connect();
    now += 60 * 60_000;
    expect((await finish(late.state)).status).toBe(401);
    expect((await finish('made-up')).status).toBe(401);
  });

  it('401: rejects a connection that another person started, or without signing in', async () => {
    const { connect, request, finish } = await startConnection();
    const { state } = await connect();
    const callback = `/v1/codehost/callback?code=fresh&state=${state}`;
    expect((await request(callback, { role: 'anonymous' })).status).toBe(401);
    expect(await (await request(callback, { role: 'platform-admin' })).json()).toMatchObject({
      status: 401,
      reason: 'connection-state-invalid',
    });
    expect((await finish(state)).status).toBe(200);
  });

  it('401: rejects a connection that the same person started in another browser', async () => {
    const api = await startConnection();
    await api.request('/v1/access/users', {
      method: 'POST',
      via: 'session',
      body: credentials,
      role: 'platform-admin',
    });
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'owners' },
      spec: { name: 'owners', role: 'org-admin', members: [credentials.email] },
    });
    const openBrowser = async (): Promise<string> => {
      const signedIn = await api.request('/v1/auth/sign-in', { method: 'POST', body: credentials, role: 'anonymous' });
      return readCookie(signedIn);
    };
    const [one, other] = [await openBrowser(), await openBrowser()];
    const started = await api.request('/v1/orgs/acme/codehost/connect', {
      method: 'POST',
      role: 'anonymous',
      headers: { Cookie: one },
    });
    const { state } = (await started.json()) as { state: string };
    const browser = readCookie(started);
    expect(started.headers.get('Set-Cookie')).toMatch(
      /^svc_connect=.+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const finishWith = async (Cookie: string) =>
      await api.request(`/v1/codehost/callback?code=fresh&state=${state}`, { role: 'anonymous', headers: { Cookie } });
    for (const cookies of [other, one, `${other}; svc_connect=made-up`])
      expect((await finishWith(cookies)).status).toBe(401);
    expect((await finishWith(browser)).status).toBe(401);
    expect((await finishWith(`${one}; ${browser}`)).status).toBe(200);
  });

  it('403: rejects a user who has lost the role since starting', async () => {
    const { connect, finish, store } = await startConnection();
    const { state } = await connect();
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'org-admins' });
    expect((await finish(state)).status).toBe(403);
  });

  it('404: connects no org that was deleted since, and stores nothing for it', async () => {
    const { connect, finish, store } = await startConnection({ role: 'platform-admin' });
    const { state } = await connect();
    await store.delete(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    expect((await finish(state)).status).toBe(404);
    expect(await store.find(SecretKind, { namespace: 'org-acme', name: 'codehost-app' })).toBeUndefined();
  });

  it('503: rejects a connection while the code host cannot be reached', async () => {
    const { connect, finish } = await startConnection({ codehostApiUrl: 'http://127.0.0.1:1' });
    const response = await finish((await connect()).state);
    expect(await response.json()).toMatchObject({ status: 503, reason: 'codehost-unreachable' });
  });

  it('200: sends the token of the installation only if it has one, and tells which workflows did not start', async () => {
    const requests: IncomingMessage[] = [];
    const lines: object[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (fields: object) => void lines.push(fields), error: () => {} };
    const codehostApiUrl = await startCodehost(requests);
    const anonymous = await startConnection({ codehostApiUrl, log });
    expect((await anonymous.finish((await anonymous.connect()).state)).status).toBe(200);
    expect(lines).toMatchObject([
      { org: 'acme', type: 'reconcileDeliveries' },
      { org: 'acme', type: 'keepRepositoryAccess' },
    ]);
    const config = { codehostManifestToken: 'installation-token' };
    const withToken = await startConnection({ codehostApiUrl, log, config });
    expect((await withToken.finish((await withToken.connect()).state)).status).toBe(200);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer installation-token']);
  });

  it('500: hides a fault of the workflow server that is no outage', async () => {
    const workflow = { start: () => Promise.reject(new Error('The namespace is full.')) };
    const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
    const temporal = { workflow, withDeadline } as unknown as Client;
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const { connect, finish } = await startConnection({ temporal, log });
    expect(await (await finish((await connect()).state)).json()).toMatchObject({ reason: 'internal-error' });
  });

  it('422: rejects a code that the code host rejects', async () => {
    const { connect, finish } = await startConnection();
    expect((await finish((await connect()).state, 'used')).status).toBe(422);
  });

  it('401: leads a browser back to the setup', async () => {
    const { finish } = await startConnection();
    const response = await finish('made-up', 'fresh', { Accept: 'text/html' });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('<a href="/setup?step=codehost">');
  });
});

describe('getCodehostConnection', () => {
  it('200: returns the app without its credentials', async () => {
    const { connect, finish, request } = await startConnection();
    const read = async () => (await request('/v1/orgs/acme/codehost', { role: 'viewer' })).json();
    expect(await read()).toEqual({ connected: false, gitopsRepo: 'acme/gitops' });
    await finish((await connect()).state);
    expect(await read()).toEqual({
      connected: true,
      slug: 'acme-delivery',
      url: 'http://codehost.example/apps/acme-delivery',
      gitopsRepo: 'acme/gitops',
    });
  });

  it('200: tells with check=true whether the app may write to the gitops repo, or create it', async () => {
    const codehost = await startTestCodehost();
    await codehost.seedRepository('acme/shop', await createFolder());
    const { administration: _, ...withoutCreation } = allPermissions;
    const check = async (app: { id: number; pem: string }) => {
      const { store, request } = await startApi({ role: 'viewer', codehostApiUrl: codehost.apiUrl });
      const data = toSecretData({ 'app-id': String(app.id), 'private-key': app.pem });
      await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, data });
      const view = (await (await request('/v1/orgs/acme/codehost?check=true')).json()) as { findings: object[] };
      return view.findings;
    };
    const { app } = await registerApp(codehost);
    const subject = { subject: 'gitops-repo', name: 'acme/gitops' };
    expect(await check(app)).toEqual([
      { ...subject, result: 'ok', message: expect.stringContaining('does not exist yet') },
    ]);
    expect(await check((await registerApp(codehost, { permissions: withoutCreation })).app)).toEqual([
      {
        ...subject,
        result: 'warning',
        message: expect.stringContaining('lacks a permission'),
        fix: expect.stringContaining('Grant the app access to acme/gitops'),
      },
    ]);
    await codehost.seedRepository('acme/gitops', await createFolder({ 'README.md': '# State' }));
    expect(await check(app)).toEqual([{ ...subject, result: 'ok', message: 'The app may write to acme/gitops.' }]);
    const readOnly = await registerApp(codehost, { permissions: { ...allPermissions, contents: 'read' } });
    expect(await check(readOnly.app)).toMatchObject([{ ...subject, result: 'warning' }]);
  });
});
