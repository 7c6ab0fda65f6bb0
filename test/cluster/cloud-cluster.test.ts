import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttpServer } from '../../src/main/process/start-http-server.ts';
import { connectAddedClusters } from '../../src/main/wiring/telemetry/added-clusters.ts';
import { NamespaceKind, PodKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { issuerPath } from '../../src/rules/cloud-accounts/identity-token.ts';
import { CloudAccountKind } from '../../src/rules/cloud-accounts/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { reservePort } from '../support/servers/reserve-ports.ts';
import {
  addClusters,
  awsSpec,
  eksCluster,
  gkeCluster,
  googleSpec,
  roleArn,
  startTestCloud,
} from '../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../support/servers/test-dispatcher.ts';
import { judgeLoopback } from '../support/judge-loopback.ts';
import { type ApiHarness, startApi } from '../support/start-api.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';

const manifest = fileURLToPath(new URL('../../deploy/workload-cluster.yaml', import.meta.url));
const store = openSqliteStore({ file: ':memory:' });
/** A worker is another process, which learns of a cluster from the store alone. */
const workerClusters = connectAddedClusters({ store, judge: judgeLoopback });
const judged = createTestDispatcher('127.0.0.1');
const cleanups: (() => Promise<void>)[] = [];
const onCleanup = (close: () => Promise<void>): void => void cleanups.unshift(close);
let cluster: ControlPlane;
let cloud: Awaited<ReturnType<typeof startTestCloud>>;
let api: ApiHarness;

type Body = { state: string; findings: { subject: string; result: string; message: string }[]; detail: string };
async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const response = await api.request(`/v1/clusters${path}`, { method, via: 'session', ...(body && { body }) });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Body };
}
const toResults = ({ findings }: Body) => Object.fromEntries(findings.map(({ subject, result }) => [subject, result]));

/** Binds the ClusterRole of the manifest to an account of a cloud. */
const bind = async (name: string, kind: 'Group' | 'User', subject: string): Promise<void> =>
  await applyObjects(cluster, [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'service-zones' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name: subject }],
    },
  ]);

beforeAll(async () => {
  const port = await reservePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  cloud = await startTestCloud({ issuer: `${publicUrl}${issuerPath}`, onCleanup });
  cluster = await startControlPlane(undefined, { tokenReviewUrl: cloud.reviewUrl(eksCluster) });
  onCleanup(cluster.stop);
  await kubectl(cluster, ['apply', '--server-side', `--filename=${manifest}`]);
  addClusters(cloud.state, { url: cluster.server, caData: cluster.caData });
  api = await startApi({
    store,
    judge: judgeLoopback,
    judged,
    cloudEndpoints: cloud.endpoints,
    config: { publicUrl },
    onCleanup,
  });
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  onCleanup(async () => await server.stop(0));
  for (const [name, spec] of Object.entries({ aws: awsSpec, google: googleSpec }))
    await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name }, spec });
}, 180_000);
afterAll(async () => {
  await workerClusters.close();
  for (const cleanup of cleanups) await cleanup();
  await judged.destroy();
  await store.close();
});

it.each([
  ['an access entry of EKS', 'eks', 'aws', eksCluster, ['Group', 'service-zones']],
  ['a service account of Google Cloud', 'gke', 'google', gkeCluster, ['User', googleSpec.serviceAccount]],
] as const)(
  'signs in to a real API server with %s, with the permissions of the manifest',
  async (_, name, account, at, [kind, subject]) => {
    const add = async () => await call('POST', '', { name, cloud: { org: 'acme', account, cluster: at } });
    const poor = await add();
    expect(poor.status).toBe(201);
    expect(toResults(poor.body)).toMatchObject({ connection: 'ok', permissions: 'failed' });
    await bind(name, kind, subject);
    await expect
      .poll(async () => toResults((await call('POST', `/${name}/check`)).body))
      .toMatchObject({ connection: 'ok', permissions: 'ok', 'least-privilege': 'ok' });
    const found = await workerClusters.find(name);
    expect(await found?.objects.list(PodKind, { namespace: 'default' })).toMatchObject({ items: [] });
    expect(await found?.objects.find(NamespaceKind, { namespace: '', name: 'default' })).toBeDefined();
    await expect(found?.objects.find(SecretKind, { namespace: 'default', name: 'any' })).rejects.toMatchObject({
      reason: 'cluster-access-denied',
    });
  },
);

it('says that the cluster does not let a role in whose access entry was removed', async () => {
  const account = cloud.state.aws[0]?.clusters[eksCluster];
  if (!account) throw new Error('There is no cluster.');
  account.accessEntries = {};
  const failed = await call('POST', '/eks/check');
  expect(failed.body.findings).toMatchObject([{ subject: 'connection', result: 'failed' }]);
  expect(failed.body.findings[0]?.message).toContain('does not accept the credentials (401)');
  account.accessEntries = { [roleArn]: ['service-zones'] };
  expect(toResults((await call('POST', '/eks/check')).body)).toMatchObject({ connection: 'ok' });
  for (const name of ['eks', 'gke']) expect((await call('DELETE', `/${name}`)).status).toBe(204);
});
