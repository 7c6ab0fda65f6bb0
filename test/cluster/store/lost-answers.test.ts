import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { openKubernetesStore } from '../../../src/store/kubernetes.ts';
import { buildProbe, ProbeKind, expectError, withSize } from '../../contracts/store/probe.ts';
import { installCrds } from '../install-crds.ts';
import { kubectl } from '../control-plane/kubectl.ts';

const cluster = inject('cluster');

beforeAll(() => installCrds(cluster, [ProbeKind]));

/** Opens a store behind a proxy that applies every write, and drops the response to its first attempt. */
async function openLossyStore() {
  const dispatcher = new Agent({ connect: { ca: Buffer.from(cluster.caData, 'base64') } });
  const tried = new Set<string>();
  let lost = 0;
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const method = incoming.method as 'GET' | 'POST' | 'PUT' | 'DELETE';
    const { authorization = '', accept = '' } = incoming.headers;
    const headers = { authorization, accept, ...(body.length > 0 && { 'content-type': 'application/json' }) };
    const answer = await request(cluster.server + incoming.url, {
      method,
      headers,
      body: body.length > 0 ? body : null,
      dispatcher,
    });
    const text = await answer.body.text();
    const attempt = `${method} ${incoming.url} ${body.toString()}`;
    if (method !== 'GET' && !tried.has(attempt)) {
      tried.add(attempt);
      lost += 1;
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(text);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'proxy', server: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, skipTLSVerify: true },
    { name: 'admin', token: cluster.adminToken },
  );
  const store = await openKubernetesStore(kubeConfig);
  const namespace = `org-t${crypto.randomUUID().slice(0, 8)}`;
  onTestFinished(async () => {
    await kubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    await store.close();
    proxy.closeAllConnections();
    proxy.close();
    await dispatcher.close();
  });
  return { store, namespace, lost: () => lost };
}

it('recognizes its own write after a lost response, and reports only conflicts with other writers', async () => {
  const { store, namespace, lost } = await openLossyStore();
  const created = await store.create(ProbeKind, buildProbe(namespace, 'a'));
  expect(created.metadata.generation).toBe(1);
  await expectError('conflict', store.create(ProbeKind, buildProbe(namespace, 'a')));

  const replaced = await store.replace(ProbeKind, withSize(created, 2));
  expect(replaced).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
  await expectError('conflict', store.replace(ProbeKind, withSize(created, 3)));

  // A counter reveals a write that is applied twice.
  for (let count = 1; count <= 5; count += 1) {
    const counted = await store.updateStatus(ProbeKind, created.metadata, ({ status }) => ({
      count: (status?.count ?? 0) + 1,
    }));
    expect(counted.status).toEqual({ count });
  }
  expect((await store.get(ProbeKind, created.metadata)).status).toEqual({ count: 5 });

  await store.delete(ProbeKind, created.metadata);
  expect(await store.find(ProbeKind, created.metadata)).toBeUndefined();
  await expectError('not-found', store.delete(ProbeKind, created.metadata));
  expect(lost()).toBeGreaterThan(8);
});
