import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { ensureInstallation } from '../../../src/reconcile/ensure-installation.ts';
import { type StoredObject, systemNamespace } from '../../../src/rules/resource.ts';
import type { ApiEnv } from '../../../api/deps.ts';
import { assertCurrent, assertHeadersMatch, readPrecondition, setETag } from '../../../api/http/preconditions.ts';
import { modelProviderRef } from '../../../api/agents/model-provider.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { backupSettingsRef } from '../../../src/rules/backups/kinds.ts';
import { toProviderSecretData } from '../../../src/rules/agents/model-provider-secret.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { imageRegistryRef, toImageRegistryData } from '../../../src/rules/registries/image-registry.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { customResourceKinds } from '../../../src/rules/custom-resource-kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { buildDomainSettings, startApi } from '../../support/start-api.ts';
import { draft, withDraft, writer } from '../agents/agents-fixture.ts';

const app = new Hono<ApiEnv>().get('/:version?', (c) => {
  setETag(c, '7');
  assertHeadersMatch(c.req.param('version'), readPrecondition(c));
  return c.text('applied');
});
app.onError((error, c) => c.text(String(Reflect.get(error, 'reason')), 400));

it.each([
  ['If-Match', '"7"', 'applied'],
  ['If-Match', '"7.digest"', 'applied'],
  ['If-Match', '"7.digest:gzip"', 'applied'],
  ['If-Match', '"1", "7"', 'applied'],
  ['If-Match', '*', 'applied'],
  ['If-Match', '"1"', 'precondition-failed'],
  ['If-Match', 'W/"7"', 'precondition-failed'],
  ['If-Match', '7', 'invalid'],
  ['If-None-Match', '*', 'precondition-failed'],
  ['If-None-Match', '"1", W/"7"', 'precondition-failed'],
  ['If-None-Match', '"1"', 'applied'],
])('%s: %s of version 7 is %s', async (header, value, outcome) => {
  const response = await app.request('/7', { headers: { [header]: value } });
  expect(await response.text()).toBe(outcome);
});

it.each([
  ['If-Match', '*', 'precondition-failed'],
  ['If-Match', '"7"', 'precondition-failed'],
  ['If-None-Match', '*', 'applied'],
])('%s: %s of a missing resource is %s', async (header, value, outcome) => {
  expect(await (await app.request('/', { headers: { [header]: value } })).text()).toBe(outcome);
});

const provider = { label: 'SSO', issuer: 'https://sso.example.com', clientId: 'delivery' };
/** A path without a version is one of the org. */
const toPath = (path: string): string => (path.startsWith('/v1/') ? path : `/v1/orgs/acme${path}`);

/** Every operation that evaluates preconditions, with a path at which its resource exists. */
const conditional: [operationId: string, method: string, path: string, body?: object][] = [
  ['putAccessGroups', 'PUT', '/access-groups', { accessGroups: [] }],
  ['putTeams', 'PUT', '/teams', { teams: [] }],
  ['putApprovals', 'PUT', '/approvals', { preventSelfApproval: false }],
  ['putAgentLimits', 'PUT', '/agent-limits', { costUsdPerDay: 1 }],
  ['putScheduling', 'PUT', '/scheduling', { enabled: false, timeZone: '' }],
  ['putModelProvider', 'PUT', '/model-provider', { kind: 'openai', model: 'm', apiKey: 'k' }],
  ['deleteModelProvider', 'DELETE', '/model-provider'],
  ['putRegistry', 'PUT', '/registries/images', { host: 'registry.example.com', username: 'ada' }],
  ['deleteRegistry', 'DELETE', '/registries/images'],
  ['replaceCloudAccount', 'PUT', '/cloud-accounts/prod', { spec: awsSpec }],
  ['deleteCloudAccount', 'DELETE', '/cloud-accounts/prod'],
  ['replaceAgentRole', 'PUT', '/agentroles/writer', { spec: writer.spec }],
  ['deleteAgentRole', 'DELETE', '/agentroles/reader'],
  ['replaceAgentWorkflow', 'PUT', '/agentworkflows/draft', { spec: draft.spec }],
  ['deleteAgentWorkflow', 'DELETE', '/agentworkflows/draft'],
  ['replaceProduct', 'PUT', '/products/shop', { spec: { repos: [], delivery: { zones: [] } } }],
  ['deleteProduct', 'DELETE', '/products/shop'],
  ['replaceIdentityProvider', 'PUT', '/v1/identity-providers/sso', { spec: provider }],
  ['deleteIdentityProvider', 'DELETE', '/v1/identity-providers/sso'],
  ['putCluster', 'PUT', '/v1/clusters/far', { label: 'Far' }],
  ['deleteCluster', 'DELETE', '/v1/clusters/far'],
  [
    'putInstallation',
    'PUT',
    '/v1/installation',
    { platformDomain: 'apps.example.net', managedDomainRoots: [], signIn: { password: 'everyone' } },
  ],
  [
    'putImageRegistry',
    'PUT',
    '/v1/installation/image-registry',
    {
      host: 'registry.example.com',
      repositoryPrefix: 'delivery',
      push: { username: 'builds', password: 'p' },
      pull: { username: 'zones', password: 'p' },
    },
  ],
  ['deleteImageRegistry', 'DELETE', '/v1/installation/image-registry'],
  ['putBackupSettings', 'PUT', '/v1/backup/settings', { keepLast: 3 }],
  ['removeZone', 'DELETE', '/products/shop/zones/shop-prod?confirm=shop-prod'],
  ['deleteOrg', 'DELETE', '?confirm=acme'],
];
const replacements = [
  'putAccessGroups',
  'putInstallation',
  'putTeams',
  'replaceAgentRole',
  'replaceAgentWorkflow',
  'replaceCloudAccount',
  'replaceIdentityProvider',
  'replaceProduct',
];

async function withResources() {
  const api = await withDraft();
  await api.post('agentroles', { ...writer, name: 'reader' });
  await api.post('products', { name: 'shop', spec: { repos: [] } });
  // The admin exists before the versions are compared.
  await api.tokenFor('platform-admin', 'session');
  await api.store.create(IdentityProviderKind, {
    metadata: { namespace: systemNamespace, name: 'sso' },
    spec: provider,
  });
  await api.store.create(SecretKind, {
    metadata: modelProviderRef('acme'),
    type: 'Opaque',
    data: toProviderSecretData({ kind: 'openai', model: 'm', apiKey: 'k' }),
  });
  await api.store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'prod' }, spec: awsSpec });
  await api.store.create(ClusterKind, { metadata: { namespace: systemNamespace, name: 'far' }, spec: {} });
  await ensureInstallation(api.store, { domains: buildDomainSettings(), passwordSignIn: 'everyone' });
  await api.store.create(ConfigMapKind, { metadata: backupSettingsRef, data: {} });
  const lastCheck = { access: 'pull' as const, at: '2026-11-25T08:00:00.000Z' };
  const images = { name: 'images', host: 'registry.example.com', username: 'ada', password: 'p', lastCheck };
  await api.store.create(SecretKind, {
    metadata: { namespace: 'org-acme', name: registriesSecretName },
    type: 'Opaque',
    data: toRegistriesData([images]),
  });
  await api.store.create(SecretKind, {
    metadata: imageRegistryRef,
    type: 'Opaque',
    data: toImageRegistryData({ push: images, pull: images, previous: [] }),
  });
  return api;
}

/** Lists the versions of all resources; the refusals of the test are in the audit log. */
async function listVersions(store: Store): Promise<string[]> {
  const pages = await Promise.all(
    [...customResourceKinds, SecretKind, ConfigMapKind]
      .filter(({ kind }) => kind !== 'ApiToken')
      .map(async (kind) => await store.list(kind)),
  );
  const objects = pages.flatMap(({ items }) =>
    items.filter(({ metadata }) => !/^(audit-|service-audit-key$)/.test(metadata.name)),
  );
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
}

describe('every operation', () => {
  it('evaluates preconditions if it is listed here, and requires one if it replaces', async () => {
    const { paths } = (await (await (await startApi()).request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; 'x-preconditions'?: string }>>;
    };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const named = (mode?: string): string[] =>
      operations
        .filter((operation) => operation['x-preconditions'] !== undefined)
        .filter((operation) => mode === undefined || operation['x-preconditions'] === mode)
        .map(({ operationId }) => operationId)
        .toSorted();
    expect(named()).toEqual(conditional.map(([operationId]) => operationId).toSorted());
    expect(named('required')).toEqual(replacements.toSorted());
  });

  it('412: rejects a stale If-Match and an If-None-Match of what exists, and changes nothing', async () => {
    const { request, store } = await withResources();
    const before = await listVersions(store);
    for (const [operationId, method, path, body] of conditional)
      for (const headers of [{ 'If-Match': '"stale"' }, { 'If-None-Match': '*' }]) {
        const versions = replacements.includes(operationId) && { 'If-Match': '*' };
        const response = await request(toPath(path), {
          method,
          role: 'platform-admin',
          via: 'session',
          body,
          headers: { ...versions, ...headers },
        });
        expect(`${operationId} ${response.status}`).toBe(`${operationId} 412`);
      }
    expect(await listVersions(store)).toEqual(before);
  });

  it('428: rejects a replacement that names no version, and changes nothing', async () => {
    const { request, store } = await withResources();
    const before = await listVersions(store);
    for (const [operationId, method, path, body] of conditional.filter(([name]) => replacements.includes(name))) {
      const response = await request(toPath(path), { method, role: 'platform-admin', via: 'session', body });
      expect(`${operationId} ${response.status}`).toBe(`${operationId} 428`);
    }
    expect(await listVersions(store)).toEqual(before);
  });

  it('412: tells whether the resource has another version or does not exist', async () => {
    const { request, store } = await withResources();
    const path = '/v1/orgs/acme/model-provider';
    const body = { kind: 'openai', model: 'm', apiKey: 'k' };
    const put = async () => {
      const response = await request(path, { method: 'PUT', body, headers: { 'If-Match': '"stale"' } });
      return ((await response.json()) as { detail: string }).detail;
    };
    expect(await put()).toBe('If-Match names no current version of the resource. Read it again and repeat the change.');
    await store.delete(SecretKind, modelProviderRef('acme'));
    expect(await put()).toBe('The If-Match precondition failed: the resource does not exist.');
  });

  it('200: takes the version or the generation of the body; 409: rejects an earlier one', async () => {
    const { request } = await withResources();
    const path = '/v1/orgs/acme/agentroles/writer';
    type Versions = { resourceVersion?: string; generation?: number };
    const read = async () => (await (await request(path)).json()) as Required<Versions>;
    const replace = async (duty: string, versions: Versions): Promise<number> => {
      const body = { spec: { responsibilities: [duty] }, ...versions };
      return (await request(path, { method: 'PUT', body })).status;
    };
    const first = await read();
    expect(await replace('Read.', { generation: first.generation })).toBe(200);
    expect(await replace('Sing.', { generation: first.generation })).toBe(409);
    const { resourceVersion, generation } = await read();
    expect(await replace('Sing.', { resourceVersion: first.resourceVersion, generation })).toBe(409);
    expect(await replace('Sing.', { resourceVersion })).toBe(200);
  });

  it('422: rejects a precondition that the operation does not evaluate', async () => {
    const { request } = await withResources();
    const headers = { 'If-Match': '*' };
    const response = await request('/v1/orgs/acme/agentroles', { method: 'POST', headers, body: writer });
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('If-Match')]);
  });
});

describe('assertCurrent', () => {
  const current = {
    kind: 'AgentRole',
    metadata: { name: 'writer', resourceVersion: '7', generation: 2 },
  } as StoredObject;

  const headers = { ifMatch: undefined, ifNoneMatch: undefined };

  it.each([{}, { resourceVersion: '7' }, { generation: 2 }, { resourceVersion: '7', generation: 2 }])(
    'accepts the versions %j',
    (versions) => {
      expect(() => assertCurrent(current, { ...headers, ...versions })).not.toThrow();
    },
  );

  it.each([
    { resourceVersion: '6' },
    { generation: 1 },
    { resourceVersion: '7', generation: 1 },
    { resourceVersion: '6', generation: 2 },
  ])('rejects the versions %j', (versions) => {
    const check = () => assertCurrent(current, { ...headers, ...versions });
    expect(check).toThrow(expect.objectContaining({ reason: 'stale-version' }));
  });

  it('holds for a resource that does not exist, unless a header names a version', () => {
    expect(() => assertCurrent(undefined, { ...headers, resourceVersion: '7' })).not.toThrow();
  });
});
