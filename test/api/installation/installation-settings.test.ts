import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDns, type DnsServer } from '../../../src/emulators/dns/start-dns.ts';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { ensureInstallation } from '../../../src/reconcile/ensure-installation.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { referToTcp, startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';
import { buildDomainSettings, startApi } from '../../support/start-api.ts';

const path = '/v1/installation';
const settings = {
  platformDomain: 'apps.example.net',
  managedDomainRoots: ['managed.test'],
  signIn: { password: 'everyone' },
};
type Body = {
  findings: { subject: string; name?: string; result: string }[];
  resourceVersion: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
};

async function start(options: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi(options);
  const call = async (method: string, body?: object, { to = path, ...init }: { to?: string; role?: 'viewer' } = {}) => {
    const response = await api.request(to, { method, via: 'session', ...(body && { body }), ...init });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const put = async (change: object) => {
    const { resourceVersion } = (await call('GET')).body;
    const version = resourceVersion ?? (await create()).metadata.resourceVersion;
    return await call('PUT', { ...settings, ...change, resourceVersion: version });
  };
  const create = async () =>
    await ensureInstallation(api.store, { domains: buildDomainSettings(), passwordSignIn: 'everyone' });
  const addZone = async () =>
    await api.store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name: 'shop' },
      spec: { repos: [], delivery: { zones: [{ name: 'shop-rc', promotionPolicy: 'automatic' }] } },
    });
  const addDomain = async (name: string, kind: 'external' | 'managed') =>
    await api.store.create(DomainKind, {
      metadata: { namespace: 'org-acme', name },
      spec: { name, kind, shared: false, token: 'token' },
    });
  const readDomains = async () => ((await (await api.request('/v1/status')).json()) as { domains: object }).domains;
  return { ...api, call, put, create, addZone, addDomain, readDomains };
}

describe('getInstallation', () => {
  it('200: shows the first values until the settings exist, and then where the environment differs', async () => {
    const { call, put } = await start();
    expect((await call('GET')).body).toMatchObject({ ...settings, environment: [] });
    expect((await put({ managedDomainRoots: [] })).status).toBe(200);
    expect((await call('GET')).body).toMatchObject({
      managedDomainRoots: [],
      zoneAddress: 'http://{zone}.apps.example.net:8081',
      environment: [{ variable: 'MANAGED_BASE_DOMAINS', values: ['managed.test'] }],
    });
  });
});

describe('putInstallation', () => {
  it('200: applies at once, without a restart: status, zones and claims', async () => {
    const { put, readDomains, request, addZone } = await start();
    expect(await readDomains()).toEqual({ platformDomain: 'apps.example.net', managedRoots: ['managed.test'] });
    const changed = await put({ platformDomain: 'Cloud.Example.org', managedDomainRoots: ['sites.example.org'] });
    expect(changed).toMatchObject({ status: 200, body: { platformDomain: 'cloud.example.org' } });
    expect(await readDomains()).toEqual({ platformDomain: 'cloud.example.org', managedRoots: ['sites.example.org'] });
    await addZone();
    const zone = await (await request('/v1/orgs/acme/products/shop/zones/shop-rc')).json();
    expect(zone).toMatchObject({ status: { address: 'http://shop-rc.cloud.example.org:8081' } });
    const claim = async (name: string) => {
      const body = { name, kind: 'managed' };
      return await (await request('/v1/orgs/acme/domains', { method: 'POST', body })).json();
    };
    expect(await claim('a.managed.test')).toMatchObject({
      errors: [{ detail: 'must be a subdomain of sites.example.org' }],
    });
    // The root is known; only the workflow server is away.
    expect(await claim('a.sites.example.org')).toMatchObject({ status: 503 });
  });

  it('409: rejects a stale version, and 428 a request that names none', async () => {
    const { call, create } = await start();
    const { metadata } = await create();
    const body = { ...settings, managedDomainRoots: [], resourceVersion: metadata.resourceVersion };
    expect((await call('PUT', body)).status).toBe(200);
    expect((await call('PUT', { ...body, managedDomainRoots: ['managed.test'] })).status).toBe(409);
    expect((await call('PUT', settings)).status).toBe(428);
  });

  it('200: takes the ETag of a response; 412: rejects an earlier one', async () => {
    const { create, request } = await start();
    await create();
    const send = async (method: 'GET' | 'PUT', managedDomainRoots: string[] = [], etag?: string) => {
      const change = { body: { ...settings, managedDomainRoots }, headers: { 'If-Match': etag ?? '' } };
      return await request(path, { method, via: 'session', ...(method === 'PUT' && change) });
    };
    const etag = (await send('GET')).headers.get('ETag') ?? '';
    expect((await send('PUT', [], etag)).status).toBe(200);
    expect((await send('PUT', ['managed.test'], etag)).status).toBe(412);
  });

  it('403: rejects everybody but platform admins who signed in with a password', async () => {
    const { call, request } = await start();
    expect((await call('PUT', settings, { role: 'viewer' })).status).toBe(403);
    expect((await call('GET', undefined, { role: 'viewer' })).status).toBe(403);
    expect((await request(path, { method: 'PUT', body: settings, via: 'token' })).status).toBe(403);
  });

  it('422: names each wrong domain, and what an org has to do', async () => {
    const { put, addDomain, store } = await start();
    await addDomain('shop.example.org', 'external');
    const refused = await put({ platformDomain: 'a b', managedDomainRoots: ['managed.test', 'example.org'] });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [
          { pointer: '/platformDomain', detail: expect.stringContaining('must be a domain name') as string },
          { pointer: '/managedDomainRoots/1', detail: expect.stringContaining('of the org "acme"') as string },
        ],
      },
    });
    expect((await store.get(InstallationKind, installationRef)).spec).toEqual(settings);
  });

  it('409: keeps the platform domain while zones have addresses under it, and lists them', async () => {
    const { put, addZone } = await start();
    await addZone();
    const refused = await put({ platformDomain: 'cloud.example.org' });
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: 'installation-in-use', detail: expect.stringContaining('shop-rc of acme/shop') as string },
    });
    expect((await put({ managedDomainRoots: [] })).status).toBe(200);
  });

  it('409: keeps a root while orgs hold domains under it, and lists them', async () => {
    const { put, addDomain } = await start();
    await addDomain('a.managed.test', 'managed');
    const refused = await put({ managedDomainRoots: [] });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('a.managed.test of acme. Remove') as string },
    });
  });

  it('409: lists the first twenty domains and counts the others', async () => {
    const { put, addDomain } = await start();
    for (let number = 1; number <= 20; number += 1) await addDomain(`d-${number}.managed.test`, 'managed');
    const ofTwenty = (await put({ managedDomainRoots: [] })).body.detail;
    expect(ofTwenty.match(/managed\.test of acme/g)).toHaveLength(20);
    expect(ofTwenty).not.toContain('more');
    await addDomain('one-more.managed.test', 'managed');
    const ofMore = (await put({ managedDomainRoots: [] })).body.detail;
    expect(ofMore.match(/managed\.test of acme/g)).toHaveLength(20);
    expect(ofMore).toContain(' and 1 more. Remove');
  });

  it('lets only platform admins sign in with a password, and never locks all of them out', async () => {
    const { put, store, call, request } = await start();
    const passwordsOff = { signIn: { password: 'platform-admins' } };
    const refused = await put(passwordsOff);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/signIn/password' }] } });
    expect(refused.body.detail).toContain('resetPassword');
    const metadata = { namespace: 'service-system', name: userName('platform-admin@example.com') };
    await store.create(SecretKind, { metadata, type: 'Opaque', data: toSecretData({ 'password-hash': 'hash' }) });
    const saved = await put(passwordsOff);
    expect(saved).toMatchObject({ status: 200 });
    expect(saved.body.findings).toContainEqual(expect.objectContaining({ subject: 'sign-in', result: 'warning' }));
    const methods = await request('/v1/auth/methods', { role: 'anonymous' });
    expect(await methods.json()).toMatchObject({ password: 'platform-admins' });
    // The session of a member ends at once, and that of the platform admin goes on.
    expect((await request('/v1/me', { role: 'viewer', via: 'session' })).status).toBe(401);
    expect((await call('GET')).status).toBe(200);
  });
});

describe('checkInstallation', () => {
  const zone = openMemoryStore();
  let server: DnsServer;
  beforeAll(async () => {
    server = await startDns({ store: zone, dnsZones: ['sites.test'], port: 0 });
  });
  afterAll(async () => {
    await server.close();
    await zone.close();
  });

  it('200: compares with DNS, tells what would change, and saves nothing', async () => {
    const resolver = await startFakeDnsServer({ answer: referToTcp });
    const dns = createDns({
      resolvers: [resolver.address],
      zoneServers: [{ dnsZone: 'sites.test', server: server.address }],
      allowedInside: [{ range: '127.0.0.0/8' }],
      timeoutMs: 5_000,
      now: () => new Date(),
    });
    const { call, store } = await start({ dns });
    const body = { ...settings, managedDomainRoots: ['sites.test', 'nowhere.test'] };
    const checked = await call('POST', body, { to: `${path}/check` });
    expect(checked).toMatchObject({
      status: 200,
      body: {
        changes: [{ pointer: '/managedDomainRoots', before: ['managed.test'], after: body.managedDomainRoots }],
        findings: [
          { subject: 'platform-domain', name: 'apps.example.net', result: 'warning' },
          { subject: 'managed-domain-root', name: 'sites.test', result: 'ok' },
          { subject: 'managed-domain-root', name: 'nowhere.test', result: 'warning' },
        ],
      },
    });
    expect(await store.find(InstallationKind, installationRef)).toBeUndefined();
    expect((await call('POST', { ...body, platformDomain: '-' }, { to: `${path}/check` })).status).toBe(422);
    await dns.close();
  });
});
