import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { openKubernetesStore } from '../../../src/store/kubernetes.ts';
import { aProbe, ProbeKind, refusal, withSize } from '../../contracts/store/probe.ts';
import { installKinds, kubectl } from '../install-kinds.ts';

const cluster = inject('cluster');

beforeAll(() => installKinds(cluster, [ProbeKind]));

/** A store whose every write is carried out, and whose answer to the first try of each is lost on the way. */
async function storeThatLosesAnswers() {
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

it('knows its own write again when the answer to it was lost, and is refused only what somebody else has done', async () => {
  const { store, namespace, lost } = await storeThatLosesAnswers();
  const created = await store.create(ProbeKind, aProbe(namespace, 'a'));
  expect(created.metadata.generation).toBe(1);
  await refusal('conflict', store.create(ProbeKind, aProbe(namespace, 'a')));

  const replaced = await store.replace(ProbeKind, withSize(created, 2));
  expect(replaced).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
  await refusal('conflict', store.replace(ProbeKind, withSize(created, 3)));

  // A count shows each change that was made twice.
  for (let count = 1; count <= 5; count += 1) {
    const counted = await store.updateStatus(ProbeKind, created.metadata, ({ status }) => ({
      count: (status?.count ?? 0) + 1,
    }));
    expect(counted.status).toEqual({ count });
  }
  expect((await store.get(ProbeKind, created.metadata)).status).toEqual({ count: 5 });

  await store.delete(ProbeKind, created.metadata);
  expect(await store.find(ProbeKind, created.metadata)).toBeUndefined();
  await refusal('not-found', store.delete(ProbeKind, created.metadata));
  expect(lost()).toBeGreaterThan(8);
});
