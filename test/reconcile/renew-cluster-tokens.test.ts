import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { findClusterAccess, saveClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import { clustersMax, clustersSecretRef } from '../../src/rules/clusters/clusters-secret.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { startCloudCluster } from '../api/clusters/cloud-cluster-fixture.ts';
import { awsSpec, eksCluster, googleSpec } from '../support/servers/test-cloud.ts';

const ref = { namespace: 'service-system', name: 'eu-west' };

it.each([
  ['EKS', awsSpec, 8, 15],
  ['GKE', googleSpec, 54, 61],
])('makes a token of %s before the current one ends', async (_, spec, dueAfter, endsAfter) => {
  const { add, readAccess, renew, pass, review, warnings } = await startCloudCluster(spec);
  await add();
  const first = await readAccess();
  await renew();
  expect(await readAccess()).toEqual(first);
  pass(dueAfter);
  await renew();
  const second = await readAccess();
  expect(second).toEqual({ ...first, token: second.token, expiresAt: second.expiresAt });
  pass(endsAfter - dueAfter);
  expect(await review(first.token ?? '')).toBe(false);
  expect(await review(second.token ?? '')).toBe(true);
  expect(warnings).toEqual([]);
});

it.each([
  ['keeps a token that ends in seven minutes', 0, true],
  ['replaces a token that ends earlier than that', -1, false],
])('%s', async (_, offsetMs, isKept) => {
  const { store, server, cloud, now, readAccess, renew } = await startCloudCluster(awsSpec);
  await store.create(ClusterKind, { metadata: ref, spec: { cloud } });
  const expiresAt = new Date(now().getTime() + 7 * 60_000 + offsetMs).toISOString();
  await saveClusterAccess(store, ref.name, { server: server.url, token: 'current', expiresAt, cloud });
  await renew();
  expect((await readAccess()).token === 'current').toBe(isKept);
});

it('shows at the cluster that the cloud refuses, goes on with the others, and recovers', async () => {
  const { add, call, store, state, readAccess, renew, pass, warnings, cloud } = await startCloudCluster(awsSpec);
  await add();
  await store.create(ClusterKind, {
    metadata: { ...ref, name: 'gone' },
    spec: { cloud: { ...cloud, account: 'missing' } },
  });
  const roles = state.aws.map((account) => account.roles);
  for (const account of state.aws) account.roles = {};
  pass(8);
  await renew();
  const failed = (await call('GET', '/clusters/eu-west')).body;
  expect(failed.state).toBe('failed');
  expect(failed.findings[0]?.message).toMatch(/AccessDenied.*Let the trust policy of/);
  expect(failed.findings.length).toBeGreaterThan(1);
  expect((await store.get(ClusterKind, ref)).status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe(
    'False',
  );
  expect((await call('GET', '/clusters/gone')).body.findings[0]?.message).toContain('no cloud account "missing"');
  expect(warnings.length).toBe(2);
  const before = await readAccess();
  state.aws.forEach((account, index) => (account.roles = roles[index] ?? {}));
  await renew();
  expect((await readAccess()).token).not.toBe(before.token);
  expect((await call('GET', '/clusters/eu-west')).body.findings[0]).toMatchObject({ result: 'ok' });
});

it('signs in to a cluster that was applied with kubectl, and keeps its address when the account changes', async () => {
  const { store, state, server, cloud, readAccess, renew, pass } = await startCloudCluster(awsSpec);
  await store.create(ClusterKind, { metadata: ref, spec: { cloud } });
  await renew();
  expect(await readAccess()).toMatchObject({ server: server.url, caData: server.caData });
  Object.assign(state.aws[0]?.clusters[eksCluster] ?? {}, { endpoint: 'https://other.example.com' });
  pass(8);
  await renew();
  expect(await readAccess()).toMatchObject({ server: server.url });
});

it('renews the tokens of as many clusters as there can be at once, as after an outage', async () => {
  const { store, server, cloud, renew, warnings } = await startCloudCluster(awsSpec);
  const names = Array.from({ length: clustersMax }, (_, index) => `cluster-${index}`);
  for (const name of names) {
    await store.create(ClusterKind, { metadata: { ...ref, name }, spec: { cloud } });
    await saveClusterAccess(store, name, {
      server: server.url,
      token: 'old',
      expiresAt: '2020-01-01T00:00:00Z',
      cloud,
    });
  }
  await renew();
  const tokens = await Promise.all(names.map(async (name) => (await findClusterAccess(store, name))?.token));
  expect(tokens.filter((token) => token === undefined || token === 'old')).toEqual([]);
  expect(warnings).toEqual([]);
});

it('sends no token to the server of other credentials, which a process left when it was killed', async () => {
  const { store, server, cloud, readAccess, renew } = await startCloudCluster(awsSpec);
  await store.create(ClusterKind, { metadata: ref, spec: { cloud } });
  const others: ClusterAccess[] = [
    { server: 'https://other.example.com', token: 'of-a-kubeconfig' },
    {
      server: 'https://other.example.com',
      token: 'of-another-cluster',
      expiresAt: '2099-01-01T00:00:00Z',
      cloud: { ...cloud, cluster: 'other' },
    },
  ];
  for (const other of others) {
    await saveClusterAccess(store, ref.name, other);
    await renew();
    expect(await readAccess()).toMatchObject({ server: server.url, caData: server.caData, cloud });
  }
});

it('leaves clusters with a kubeconfig alone', async () => {
  const { store, renew, readAccess, warnings } = await startCloudCluster(awsSpec);
  await store.create(ClusterKind, { metadata: ref, spec: {} });
  await renew();
  expect(await readAccess()).toEqual({});
  expect(warnings).toEqual([]);
});

it('deletes the credentials of a cluster that was deleted with kubectl, and no others', async () => {
  const { store, server, renew } = await startCloudCluster(awsSpec);
  await renew();
  expect(await store.find(SecretKind, clustersSecretRef)).toBeUndefined();
  const names = ['eu-west', 'us-east'];
  for (const name of names) {
    await store.create(ClusterKind, { metadata: { ...ref, name }, spec: {} });
    await saveClusterAccess(store, name, { server: server.url, token: name });
  }
  await store.delete(ClusterKind, ref);
  await renew();
  const readTokens = async () => await Promise.all(names.map(async (name) => findClusterAccess(store, name)));
  expect(await readTokens()).toEqual([undefined, { server: server.url, token: 'us-east' }]);
  await store.delete(ClusterKind, { ...ref, name: 'us-east' });
  await renew();
  expect(await readTokens()).toEqual([undefined, undefined]);
});
