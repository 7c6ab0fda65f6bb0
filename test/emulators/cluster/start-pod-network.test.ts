import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Instance } from '../../../src/emulators/cluster/instance.ts';
import { startPodNetwork, toPodHost } from '../../../src/emulators/cluster/start-pod-network.ts';

const authorization = 'Basic secret';
const pod = { namespace: 'hello-rc', name: 'hello-1' };

/** Starts a pod network with one pod, whose app answers with what it received. */
async function startNetwork() {
  const app = createServer((received, response) => {
    const { method, url, headers } = received;
    if (url === '/redirect') return response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    return response.setHeader('x-own', 'value').end(JSON.stringify({ method, url, headers }));
  });
  await once(app.listen(0, '127.0.0.1'), 'listening');
  const { port } = app.address() as AddressInfo;
  const openConnection = async () => {
    const connection = connect(port, '127.0.0.1');
    await once(connection, 'connect');
    return connection;
  };
  const instance = { openConnection, activeRequests: 0 } as unknown as Instance;
  const network = await startPodNetwork({
    authorization,
    findInstance: ({ namespace, name }) => (namespace === pod.namespace && name === pod.name ? instance : undefined),
    services: { 'state.kube-system.svc': async () => 'replicas 1' },
  });
  onTestFinished(async () => {
    await network.close();
    app.close();
    app.closeAllConnections();
  });
  const send = async (url: string, headers: Record<string, string> = { authorization }, method = 'GET') => {
    const sent = request(network.url, { path: url, headers, method, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, headers: response.headers, body };
  };
  return { send, instance };
}

it('forwards a request to the named pod, without the credentials', async () => {
  const { send, instance } = await startNetwork();
  const { status, headers, body } = await send(`http://${toPodHost(pod)}:3000/metrics?a=b`);
  expect({ status, own: headers['x-own'] }).toEqual({ status: 200, own: undefined });
  expect(JSON.parse(body)).toEqual({
    method: 'GET',
    url: '/metrics?a=b',
    headers: { host: `${toPodHost(pod)}:3000`, accept: '*/*', connection: 'close' },
  });
  expect(instance.activeRequests).toBe(0);
});

it('serves the Services of the cluster itself', async () => {
  const { send } = await startNetwork();
  expect(await send('http://state.kube-system.svc/metrics')).toMatchObject({ status: 200, body: 'replicas 1' });
});

it('refuses a caller without the secret', async () => {
  const { send } = await startNetwork();
  for (const headers of [{}, { authorization: 'Basic other' }, { 'proxy-authorization': authorization }])
    for (const url of [`http://${toPodHost(pod)}/metrics`, 'http://state.kube-system.svc/metrics'])
      expect((await send(url, headers as Record<string, string>)).status).toBe(401);
});

it('reaches nothing but pods', async () => {
  const { send } = await startNetwork();
  for (const url of [
    'http://127.0.0.1:1/',
    'http://localhost/',
    'http://hello-2.hello-rc.pod/',
    'http://169.254.169.254/',
  ])
    expect(await send(url)).toMatchObject({ status: 503, body: 'No such pod is running.' });
  for (const url of ['/metrics', '*']) expect((await send(url)).status).toBe(400);
  expect((await send(`http://${toPodHost(pod)}/metrics`, { authorization }, 'POST')).status).toBe(400);
});

it('returns a redirect of an app without its address', async () => {
  const { send } = await startNetwork();
  const { status, headers } = await send(`http://${toPodHost(pod)}/redirect`);
  expect({ status, location: headers.location }).toEqual({ status: 302, location: undefined });
});
