import { describe, expect, it } from 'vitest';
import { CloudAccountKind, cloudAccountsMax } from '../../../src/rules/cloud-accounts/kinds.ts';
import { awsSpec, googleSpec } from '../../support/servers/test-cloud.ts';
import { startApi } from '../../support/start-api.ts';
import { accountsPath as path } from './cloud-fixture.ts';

const namespace = 'org-acme';

async function start() {
  const api = await startApi({ role: 'org-admin' });
  const call = async (method: string, name: string, body?: object, headers = {}) => {
    const at = name === '' ? path : `${path}/${name}`;
    const response = await api.request(at, { method, headers, ...(body && { body }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text && JSON.parse(text)) as unknown };
  };
  const add = async (name: string, spec: typeof awsSpec | typeof googleSpec = awsSpec) =>
    await api.store.create(CloudAccountKind, { metadata: { namespace, name }, spec });
  return { ...api, call, add };
}

describe('createCloudAccount', () => {
  it.each([awsSpec, googleSpec])('201: saves an account of $provider, which the audit log shows', async (spec) => {
    const { call, request } = await start();
    const created = await call('POST', '', { name: 'prod', spec });
    expect(created).toMatchObject({
      status: 201,
      body: {
        kind: 'CloudAccount',
        name: 'prod',
        org: 'acme',
        spec,
        generation: 1,
        actions: [
          { name: 'checkCloudAccount', allowed: true },
          { name: 'replaceCloudAccount', allowed: true },
          { name: 'deleteCloudAccount', allowed: true },
        ],
      },
    });
    expect(created.headers.get('location')).toBe(`/api${path}/prod`);
    expect(created.headers.get('etag')).toBe((await call('GET', 'prod')).headers.get('etag'));
    expect((await call('GET', 'prod')).body).toEqual(created.body);
    expect((await call('GET', '')).body).toEqual({ items: [created.body] });
    const entries = await (await request('/v1/orgs/acme/audit')).text();
    expect(entries).toContain('createCloudAccount');
  });

  it.each([
    ['roleArn', 'arn:aws:iam::123456789012:user/ada'],
    ['roleArn', 'delivery'],
    ['roleArn', undefined],
    ['region', 'evil.example.com/'],
    ['region', 'eu-central-1.evil'],
    ['region', 'cn-north-1'],
    ['region', undefined],
    ['serviceAccount', googleSpec.serviceAccount],
    ['provider', 'azure'],
  ])('422: names the field %s for %s', async (field, value) => {
    const { call, store } = await start();
    const refused = await call('POST', '', { name: 'prod', spec: { ...awsSpec, [field]: value } });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: `/spec/${field}` }] });
    expect((await store.list(CloudAccountKind)).items).toEqual([]);
  });

  it.each([
    ['workloadIdentityProvider', '//iam.googleapis.com/projects/x'],
    ['serviceAccount', 'ada@example.com'],
    ['serviceAccount', undefined],
    ['roleArn', awsSpec.roleArn],
  ])('422: names the field %s of Google Cloud for %s', async (field, value) => {
    const { call } = await start();
    const refused = await call('POST', '', { name: 'prod', spec: { ...googleSpec, [field]: value } });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: `/spec/${field}` }] });
  });

  it('409 and 422: allows a name once, and limits the accounts of an org', async () => {
    const { call, add } = await start();
    for (let index = 0; index < cloudAccountsMax; index += 1) await add(`account-${index}`);
    expect((await call('POST', '', { name: 'account-1', spec: awsSpec })).body).toMatchObject({ status: 409 });
    expect((await call('POST', '', { name: 'more', spec: awsSpec })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/name' }],
    });
  });
});

describe('listCloudAccounts', () => {
  it('200: pages', async () => {
    const { add, request } = await start();
    await add('one');
    await add('two');
    const first = (await (await request(`${path}?limit=1`)).json()) as { items: object[]; continue: string };
    expect(first.items).toMatchObject([{ name: 'one' }]);
    expect(await (await request(`${path}?limit=1&continue=${first.continue}`)).json()).toMatchObject({
      items: [{ name: 'two' }],
    });
  });
});

describe('getCloudAccount', () => {
  it('404: of a name that does not exist', async () => {
    const { call } = await start();
    expect((await call('GET', 'prod')).body).toMatchObject({ status: 404 });
  });
});

describe('replaceCloudAccount', () => {
  it('200, 409 and 412: replaces the version that was read', async () => {
    const { add, call } = await start();
    await add('prod');
    const etag = (await call('GET', 'prod')).headers.get('etag') ?? '';
    const spec = { ...awsSpec, region: 'eu-west-1' };
    expect((await call('PUT', 'prod', { spec })).status).toBe(428);
    const replaced = await call('PUT', 'prod', { spec }, { 'If-Match': etag });
    expect(replaced).toMatchObject({ status: 200, body: { spec, generation: 2 } });
    expect(replaced.headers.get('etag')).toBe((await call('GET', 'prod')).headers.get('etag'));
    expect((await call('PUT', 'prod', { spec: awsSpec }, { 'If-Match': etag })).status).toBe(412);
    expect((await call('PUT', 'prod', { spec: awsSpec, generation: 1 })).status).toBe(409);
    expect((await call('PUT', 'prod', { spec: googleSpec, generation: 2 })).body).toMatchObject({ spec: googleSpec });
  });
});

describe('deleteCloudAccount', () => {
  it('204: in the version that was read', async () => {
    const { add, call } = await start();
    await add('prod');
    expect((await call('DELETE', 'prod', undefined, { 'If-Match': '"0"' })).status).toBe(412);
    expect((await call('DELETE', 'prod')).status).toBe(204);
    expect((await call('DELETE', 'prod')).status).toBe(404);
  });
});
