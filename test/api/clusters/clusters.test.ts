import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { clustersSecretRef } from '../../../src/rules/clusters/clusters-secret.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { parseInsideDestination } from '../../../src/rules/network/allowed-inside.ts';
import { destinationViolation } from '../../../src/rules/network/destination-violation.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { buildKubeconfig, startClusterServer } from '../../support/servers/cluster-server.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const token = 'token-of-the-cluster';
type Body = {
  state: string;
  findings: { subject: string; result: string; message: string; fix?: string }[];
  fingerprint: string;
  resourceVersion: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
};

async function start({ allowed = ['localhost'] } = {}) {
  const inside = allowed.flatMap((text) => parseInsideDestination(text) ?? []);
  const api = await startApi({
    role: 'platform-admin',
    judge: (destination) => destinationViolation(inside, destination),
    config: { workloadClusters: ['from-env'] },
  });
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await api.request(`/v1/clusters${path}`, {
      method,
      via: 'session',
      headers,
      ...(body && { body }),
    });
    const text = await response.text();
    for (const part of [token, 'LS0tLS1CRUdJ', 'BEGIN']) expect(text).not.toContain(part);
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : {}) as Body };
  };
  const readAccess = async () =>
    readSecretText(await api.store.find(SecretKind, clustersSecretRef), 'eu-west') ?? 'no access';
  const addZone = async (org: string, product: string, zone: string) => {
    await createOrg(api.store, org);
    await api.store.create(ProductKind, {
      metadata: { namespace: `org-${org}`, name: product },
      spec: { repos: [], delivery: { zones: [{ name: zone, promotionPolicy: 'automatic', cluster: 'eu-west' }] } },
    });
  };
  return { ...api, call, readAccess, addZone };
}

const addedCluster = async (options: Parameters<typeof startClusterServer>[0] = {}) => {
  const [api, server] = [await start(), await startClusterServer(options)];
  const created = await api.call('POST', '', { name: 'eu-west', kubeconfig: server.kubeconfig() });
  expect(created.status).toBe(201);
  return { ...api, server, created };
};
const toResults = ({ findings }: Body) => Object.fromEntries(findings.map(({ subject, result }) => [subject, result]));

/** Starts a server that answers queries, and records the credentials that it gets. */
async function startMetrics() {
  const credentials: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    credentials.push(headers.authorization);
    response.end('{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials };
}

describe('createCluster', () => {
  it('201: checks the cluster, and stores its kubeconfig as a secret that no view and no log shows', async () => {
    const { call, server, created, readAccess, request } = await addedCluster();
    expect(created.body).toMatchObject({
      name: 'eu-west',
      source: 'settings',
      server: server.url,
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      state: 'warning',
      version: 'v1.34.2',
      zones: [],
    });
    expect(toResults(created.body)).toEqual({
      connection: 'ok',
      version: 'ok',
      permissions: 'ok',
      'least-privilege': 'ok',
      deployment: 'warning',
      ingress: 'ok',
      storage: 'ok',
      'user-namespaces': 'ok',
      metrics: 'warning',
    });
    expect(created.headers.get('location')).toBe('/api/v1/clusters/eu-west');
    expect((await call('GET', '/eu-west')).body).toEqual(created.body);
    expect(JSON.parse(await readAccess())).toEqual({ server: server.url, caData: server.caData, token });
    const entries = await (await request('/v1/audit')).text();
    expect(entries).toMatch(/"field":"data.eu-west","after":"fingerprint [0-9a-f]{16}"/);
    expect(entries).not.toContain(token);
    const product = {
      name: 'shop',
      spec: { repos: [], delivery: { zones: [{ name: 'shop-far', cluster: 'eu-west' }] } },
    };
    const added = await request('/v1/orgs/acme/products', { method: 'POST', role: 'org-admin', body: product });
    expect(await added.text()).not.toContain('is not a workload cluster');
  });

  it('422: names the field of the kubeconfig that is refused, and dials nothing', async () => {
    const { call, readAccess } = await start();
    const server = await startClusterServer();
    const kubeconfig = buildKubeconfig({ server: server.url, caData: server.caData, token });
    kubeconfig.users[0] = { name: 'u', user: { exec: { command: token } } };
    const refused = await call('POST', '', { name: 'eu-west', kubeconfig: JSON.stringify(kubeconfig) });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/kubeconfig', detail: expect.stringContaining('users[0].user.exec') as string }] },
    });
    expect(server.requests).toEqual([]);
    expect(await readAccess()).toBe('no access');
  });

  it.each(['https://127.0.0.1:6443', 'https://169.254.169.254', 'https://[::1]', 'https://metadata.localhost'])(
    '422: connects to no address inside the network, such as %s',
    async (server) => {
      const { call } = await start({ allowed: [] });
      const refused = await call('POST', '', {
        name: 'eu-west',
        kubeconfig: JSON.stringify(buildKubeconfig({ server })),
      });
      expect(refused.status).toBe(422);
      expect(refused.body.errors[0]?.detail).toMatch(/clusters\[0\]\.cluster\.server: .*ALLOWED_INSIDE_ADDRESSES/);
    },
  );

  it('422: tells a token that is not accepted from a certificate that is not trusted', async () => {
    const { call, store } = await start();
    const server = await startClusterServer();
    const add = async (parts: object) =>
      await call('POST', '', {
        name: 'eu-west',
        kubeconfig: JSON.stringify(buildKubeconfig({ server: server.url, caData: server.caData, ...parts })),
      });
    expect((await add({ token: 'other' })).body.errors[0]?.detail).toContain('users[0].user: is not accepted');
    const other = await startClusterServer();
    expect((await add({ token, caData: other.caData })).body.errors[0]?.detail).toContain('certificate-authority-data');
    expect((await add({ token, caData: undefined })).body.errors[0]?.detail).toContain('certificate-authority-data');
    expect((await store.list(ClusterKind)).items).toEqual([]);
  });

  it('201: says which permissions are missing, and which are too many', async () => {
    const poor = await addedCluster({ isAllowed: ({ verb, subresource }) => verb === 'get' && subresource !== 'log' });
    expect(poor.created.body.state).toBe('failed');
    const [missing] = poor.created.body.findings.filter(({ subject }) => subject === 'permissions');
    expect(missing?.message).toContain('list pods, get pods/log, list events, list persistentvolumeclaims');
    const admin = await addedCluster({ isAllowed: () => true });
    expect(toResults(admin.created.body)).toMatchObject({ permissions: 'ok', 'least-privilege': 'warning' });
  });

  it('201: asks the Prometheus of the cluster, without the credentials of the cluster', async () => {
    const [{ call }, server] = [await start({ allowed: ['localhost', '127.0.0.1'] }), await startClusterServer()];
    const { url, credentials } = await startMetrics();
    const kubeconfig = server.kubeconfig();
    const added = await call('POST', '', { name: 'eu-west', kubeconfig, prometheusUrl: `${url}/` });
    expect(toResults(added.body)).toMatchObject({ metrics: 'ok' });
    expect(credentials).toEqual([undefined]);
    const changed = await call('PUT', '/eu-west', { prometheusUrl: 'http://127.0.0.1:1' });
    expect(toResults(changed.body)).toMatchObject({ connection: 'ok', metrics: 'warning' });
    const outside = await call('PUT', '/eu-west', { prometheusUrl: 'http://169.254.169.254' });
    expect(toResults(outside.body)).toMatchObject({ metrics: 'warning' });
  });

  it('201: completes a request that was interrupted, for its own Idempotency-Key only', async () => {
    const { call, store, readAccess } = await start();
    const body = { name: 'eu-west', kubeconfig: (await startClusterServer()).kubeconfig() };
    const create = async (key: string) => await call('POST', '', body, { 'Idempotency-Key': key });
    expect((await create('one')).status).toBe(201);
    const access = await readAccess();
    await store.delete(SecretKind, clustersSecretRef);
    await forgetResponses(store);
    expect((await create('two')).status).toBe(409);
    const completed = await create('one');
    expect([completed.status, completed.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    expect(await readAccess()).toBe(access);
    expect((await store.list(ClusterKind)).items).toHaveLength(1);
  });

  it('409: a name of another cluster, also of one that the operator configured', async () => {
    const { call, server } = await addedCluster();
    const kubeconfig = server.kubeconfig();
    expect(await call('POST', '', { name: 'eu-west', kubeconfig })).toMatchObject({ status: 409 });
    expect(await call('POST', '', { name: 'from-env', kubeconfig })).toMatchObject({ status: 409 });
    expect(await call('POST', '', { name: 'in-cluster', kubeconfig })).toMatchObject({ status: 422 });
  });
});

describe('listClusters', () => {
  it('lists the clusters of the operator too, which the API does not change', async () => {
    const { call } = await addedCluster();
    const listed = (await call('GET', '')).body as unknown as { items: { name: string; source: string }[] };
    expect(listed.items.map(({ name, source }) => [name, source])).toEqual([
      ['eu-west', 'settings'],
      ['from-env', 'environment'],
    ]);
  });
});

describe('getCluster', () => {
  it('names the zones of all orgs that run there, to platform admins alone', async () => {
    const { call, addZone, request } = await addedCluster();
    await addZone('globex', 'plan', 'plan-prod');
    const zones = [{ org: 'globex', product: 'plan', zone: 'plan-prod' }];
    expect((await call('GET', '/eu-west')).body).toMatchObject({ zones });
    expect(await call('GET', '/from-env')).toMatchObject({ status: 200, body: { source: 'environment' } });
    expect(await call('GET', '/unknown')).toMatchObject({ status: 404 });
    expect((await request('/v1/clusters/eu-west', { role: 'org-admin' })).status).toBe(403);
  });
});

describe('putCluster', () => {
  it('200: replaces the kubeconfig if the new one is accepted, and keeps it without one', async () => {
    const { call, server, created, readAccess } = await addedCluster();
    server.account.token = 'rotated';
    expect(await call('PUT', '/eu-west', {})).toMatchObject({ status: 422 });
    const rotated = await call('PUT', '/eu-west', { kubeconfig: server.kubeconfig('rotated'), label: 'Europe' });
    expect(rotated).toMatchObject({ status: 200, body: { label: 'Europe' } });
    expect(rotated.body.fingerprint).not.toBe(created.body.fingerprint);
    expect(await readAccess()).toContain('rotated');
    const kept = await call('PUT', '/eu-west', {}, { 'If-Match': rotated.headers.get('etag') ?? '' });
    expect(kept.body.fingerprint).toBe(rotated.body.fingerprint);
    expect(await call('PUT', '/eu-west', {}, { 'If-Match': '"0"' })).toMatchObject({ status: 412 });
    expect(await call('PUT', '/from-env', {})).toMatchObject({ status: 409 });
  });
});

describe('checkCluster', () => {
  it('200: records what has changed, also that the account is no longer accepted', async () => {
    const { call, server, created } = await addedCluster();
    server.account.token = 'rotated';
    const failed = await call('POST', '/eu-west/check');
    expect(failed.body).toMatchObject({
      state: 'failed',
      version: 'v1.34.2',
      findings: [{ subject: 'connection', result: 'failed' }],
    });
    server.account.token = token;
    expect((await call('POST', '/eu-west/check')).body.findings).toEqual(created.body.findings);
    expect(await call('POST', '/from-env/check')).toMatchObject({ status: 409 });
  });
});

describe('deleteCluster', () => {
  it('409 while zones run there, then 204 with the kubeconfig gone', async () => {
    const { call, addZone, store, readAccess } = await addedCluster();
    await addZone('acme', 'shop', 'shop-far');
    const refused = await call('DELETE', '/eu-west');
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('shop-far of acme/shop') as string },
    });
    await store.delete(ProductKind, { namespace: 'org-acme', name: 'shop' });
    expect(await call('DELETE', '/eu-west', undefined, { 'If-Match': '"0"' })).toMatchObject({ status: 412 });
    expect(await call('DELETE', '/eu-west')).toMatchObject({ status: 204 });
    expect(await readAccess()).toBe('no access');
    expect(await call('GET', '/eu-west')).toMatchObject({ status: 404 });
    expect(await call('DELETE', '/from-env')).toMatchObject({ status: 409 });
  });
});
