import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import { startApi } from '../../support/start-api.ts';

const made = {
  id: 17,
  slug: 'acme-delivery',
  html_url: 'http://codehost.example/apps/acme-delivery',
  client_id: 'Iv1.1',
  client_secret: 'client-secret-text',
  webhook_secret: 'webhook-secret-text',
  pem: 'private-key-text',
};

/** What the code host says to a code: the code "used" is refused. */
async function codehost(): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    const good = request.method === 'POST' && request.url === '/app-manifests/fresh/conversions';
    response
      .writeHead(good ? 201 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(good ? made : { message: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connecting(options: { now?: () => Date } = {}) {
  const api = await startApi({ role: 'org-admin', codehostApiUrl: await codehost(), ...options });
  const begin = async () =>
    (await (await api.request('/v1/orgs/acme/codehost/connect', { method: 'POST' })).json()) as {
      action: string;
      manifest: string;
      state: string;
    };
  const finish = async (state: string, code = 'fresh', headers: Record<string, string> = {}) =>
    api.request(`/v1/codehost/callback?code=${code}&state=${state}`, { role: 'nobody', headers });
  return { ...api, begin, finish };
}

describe('connecting an org to its code host', () => {
  it('asks for an application with just the rights that are used', async () => {
    const { begin } = await connecting();
    const { action, manifest, state } = await begin();
    expect(action).toBe(`http://localhost:3000/organizations/acme/settings/apps/new?state=${state}`);
    expect(JSON.parse(manifest)).toMatchObject({
      name: 'acme-delivery',
      hook_attributes: { url: 'http://localhost:8080/api/v1/webhooks/codehost' },
      redirect_url: 'http://localhost:8080/api/v1/codehost/callback',
      public: false,
      default_events: ['issues', 'pull_request'],
    });
  });

  it('200: keeps the credentials where nothing returns them', async () => {
    const { begin, finish, request, store } = await connecting();
    expect(await (await request('/v1/orgs/acme/codehost')).json()).toEqual({ connected: false });
    const response = await finish((await begin()).state);
    expect(response.status).toBe(200);
    const shown = (await response.text()) + (await (await request('/v1/orgs/acme/codehost')).text());
    expect(shown).toContain('acme-delivery');
    expect(shown).not.toMatch(/-secret-text|private-key-text/);
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

  it('200: keeps the previous webhook secret when it is connected again, and shows people a page', async () => {
    const { begin, finish, store } = await connecting();
    await finish((await begin()).state);
    const response = await finish((await begin()).state, 'fresh', { Accept: 'text/html' });
    expect(await response.text()).toContain('The org acme is connected');
    const { data } = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    expect(data?.['webhook-secret-previous']).toBe(data?.['webhook-secret']);
  });

  it('401: takes a state once, and only for an hour', async () => {
    let now = Date.now();
    const { begin, finish } = await connecting({ now: () => new Date(now) });
    const { state } = await begin();
    const both = await Promise.all([finish(state), finish(state)]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
    const late = await begin();
    now += 60 * 60_000;
    expect((await finish(late.state)).status).toBe(401);
    expect((await finish('made-up')).status).toBe(401);
  });

  it('403: ends where whoever began has lost the role', async () => {
    const { begin, finish, store } = await connecting();
    const { state } = await begin();
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'org-admins' });
    expect((await finish(state)).status).toBe(403);
  });

  it('422: says that the code host does not take the code', async () => {
    const { begin, finish } = await connecting();
    expect((await finish((await begin()).state, 'used')).status).toBe(422);
  });
});
