import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { checkPrometheus } from '../../../src/integrations/clusters/check-prometheus.ts';

async function check(respond: RequestListener, path = '') {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispatcher = new Agent();
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return { url, finding: await checkPrometheus(url, dispatcher), requests };
}

it('asks one query, below the path of the address', async () => {
  const { finding, requests } = await check(
    (_, response) => void response.end('{ "status": "success" }'),
    '/metrics//',
  );
  expect(finding).toEqual({ subject: 'metrics', result: 'ok', message: 'Prometheus answers queries.' });
  expect(requests).toEqual(['/metrics/api/v1/query?query=1']);
});

it.each<[string, RequestListener]>([
  ['another answer', (_, response) => void response.end('{"status":"error"}')],
  ['another status', (_, response) => void response.writeHead(401).end('{"status":"success"}')],
  ['a redirect', (_, response) => void response.writeHead(302, { location: '/' }).end('{"status":"success"}')],
  ['no answer', (request) => void request.socket.destroy()],
])('warns of %s, and names the address', async (_, respond) => {
  const { url, finding, requests } = await check(respond);
  expect(finding).toMatchObject({
    result: 'warning',
    message: `Prometheus at ${url} does not answer queries, so zones there show no metrics.`,
  });
  expect(requests).toHaveLength(1);
});

it('warns that no address is set', async () => {
  expect(await checkPrometheus(undefined, new Agent())).toMatchObject({
    result: 'warning',
    message: 'No Prometheus is set, so zones there show no metrics.',
  });
});
