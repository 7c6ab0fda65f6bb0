import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { clustersSecretRef } from '../../../src/rules/clusters/clusters-secret.ts';
import { awsSpec, eksCluster, gkeCluster, googleSpec, roleArn } from '../../support/servers/test-cloud.ts';
import { startCloudCluster } from './cloud-cluster-fixture.ts';

describe('createCluster', () => {
  it.each([
    ['EKS', awsSpec],
    ['GKE', googleSpec],
  ])('201: finds a cluster of %s, and signs in with the cloud account', async (_, spec) => {
    const { add, call, server, cloud, readAccess, now, request, accepted } = await startCloudCluster(spec);
    const created = await add();
    expect(created).toMatchObject({ status: 201, body: { state: 'warning', server: server.url, cloud } });
    expect(created.body.findings[0]).toMatchObject({ subject: 'connection', result: 'ok' });
    expect(created.body.fingerprint).toBeUndefined();
    expect((await call('GET', '/clusters/eu-west')).body).toEqual(created.body);
    const { token = '', expiresAt = '' } = await readAccess();
    expect(accepted).toContain(token);
    expect(Date.parse(expiresAt)).toBeGreaterThan(now().getTime() + 10 * 60_000);
    const entries = await (await request('/v1/audit')).text();
    expect(entries).toMatch(/"field":"data.eu-west","after":"fingerprint [0-9a-f]{16}"/);
    expect(entries).not.toContain(token);
  });

  it('422: names the setting that is wrong, and saves nothing', async () => {
    const { add, call, cloud, store } = await startCloudCluster(awsSpec);
    const refusals: [changed: object, pointer: string, detail: RegExp][] = [
      [{ account: 'other' }, '/cloud/account', /does not exist/],
      [{ org: 'rival' }, '/cloud/account', /does not exist/],
      [{ cluster: gkeCluster }, '/cloud/cluster', /must be the name of an EKS cluster/],
      [{ cluster: 'a/b' }, '/cloud/cluster', /must be the name of an EKS cluster, or projects/],
      [{ cluster: 'other' }, '/cloud', /eu-central-1, the region of the cloud account, has a cluster "other"/],
    ];
    for (const [changed, pointer, detail] of refusals) {
      const refused = await add(changed);
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
      expect(refused.body.errors[0]?.detail).toMatch(detail);
    }
    for (const credentials of [{ cloud, kubeconfig: '{}' }, {}])
      expect(await call('POST', '/clusters', { name: 'eu-west', ...credentials })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/kubeconfig' }] },
      });
    expect(await store.find(SecretKind, clustersSecretRef)).toBeUndefined();
  });

  it('422: tells a role that may not look up the cluster from one that the cluster does not let in', async () => {
    const { add, state } = await startCloudCluster(awsSpec);
    const change = (changed: object) => Object.assign(state.aws[0]?.clusters[eksCluster] ?? {}, changed);
    change({ accessEntries: {} });
    const refused = await add();
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/cloud' }] } });
    expect(refused.body.errors[0]?.detail).toContain('create an access entry');
    change({ viewers: [] });
    expect((await add()).body.detail).toContain(`Allow eks:DescribeCluster on "zones" to ${roleArn}.`);
    change({ viewers: [roleArn], status: 'CREATING', endpoint: undefined });
    expect((await add()).body.detail).toContain('status is CREATING. Wait until the cloud has created the cluster.');
  });

  it.each([
    ['169.254.169.254', 'ALLOWED_INSIDE_ADDRESSES'],
    ['user@host/path', 'UnreadableResponse'],
  ])('422: does not ask the API server %s that a cloud names', async (endpoint, expected) => {
    const { add, state } = await startCloudCluster(googleSpec);
    Object.assign(state.google.clusters[gkeCluster] ?? {}, { endpoint });
    const refused = await add();
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toContain(expected);
  });
});

describe('putCluster', () => {
  it('200: changes from a cloud account to a kubeconfig, and keeps no credentials of the account without it', async () => {
    const { add, call, cloud, server, readAccess } = await startCloudCluster(awsSpec);
    await add();
    const { token } = await readAccess();
    expect(await call('PUT', '/clusters/eu-west', { label: 'Europe' })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/kubeconfig' }] },
    });
    const kept = await call('PUT', '/clusters/eu-west', { label: 'Europe', cloud });
    expect(kept).toMatchObject({ status: 200, body: { cloud, server: server.url } });
    const changed = await call('PUT', '/clusters/eu-west', { kubeconfig: server.kubeconfig(token) });
    expect(changed).toMatchObject({
      status: 200,
      body: { fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string },
    });
    expect(changed.body.cloud).toBeUndefined();
    expect(await readAccess()).toEqual({ server: server.url, caData: server.caData, token });
  });
});

describe('checkCluster', () => {
  it('200: signs in at the cloud again, and records its refusal', async () => {
    const { add, call, state, readAccess } = await startCloudCluster(awsSpec);
    await add();
    const before = await readAccess();
    expect((await call('POST', '/clusters/eu-west/check')).body.state).toBe('warning');
    expect((await readAccess()).token).not.toBe(before.token);
    for (const account of state.aws) account.roles = {};
    const refused = await call('POST', '/clusters/eu-west/check');
    expect(refused.body.findings).toMatchObject([
      { subject: 'connection', result: 'failed', message: expect.stringContaining('AccessDenied') as string },
    ]);
  });
});

describe('replaceCloudAccount', () => {
  it('409: to another role while the installation signs in to a cluster with it, which zones of other orgs need', async () => {
    const { add, call, readAccess, review, pass, renew } = await startCloudCluster(awsSpec);
    await add();
    const replace = async (spec: object) =>
      await call('PUT', '/orgs/acme/cloud-accounts/cloud', { spec, generation: 1 });
    const refused = await replace({ ...awsSpec, roleArn: 'arn:aws:iam::123456789012:role/other' });
    expect(refused).toMatchObject({ status: 409, body: { reason: 'cloud-account-in-use' } });
    expect(refused.body.detail).toContain('"eu-west"');
    expect((await replace(awsSpec)).status).toBe(200);
    pass(8);
    await renew();
    expect(await review((await readAccess()).token ?? '')).toBe(true);
    await call('DELETE', '/clusters/eu-west');
    expect((await replace(googleSpec)).status).toBe(200);
  });
});

describe('deleteCloudAccount', () => {
  it('409: while the installation signs in to a cluster with it', async () => {
    const { add, call } = await startCloudCluster(googleSpec);
    await add();
    const refused = await call('DELETE', '/orgs/acme/cloud-accounts/cloud');
    expect(refused).toMatchObject({ status: 409, body: { reason: 'cloud-account-in-use' } });
    expect(refused.body.detail).toContain('"eu-west"');
    // The account would go with its org.
    const refusedOrg = await call('DELETE', '/orgs/acme?confirm=acme');
    expect(refusedOrg).toMatchObject({ status: 409, body: { reason: 'cloud-account-in-use' } });
    expect((await call('DELETE', '/clusters/eu-west')).status).toBe(204);
    expect((await call('DELETE', '/orgs/acme/cloud-accounts/cloud')).status).toBe(204);
  });
});
