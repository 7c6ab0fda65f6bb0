import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  alertmanagerWords,
  type MetricsServer,
  prometheusWords,
  requestMetrics,
} from '../../../src/integrations/telemetry/metrics-request.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const request = { ...prometheusWords, path: '/api/v1/query', schema: z.object({ data: z.literal('nothing') }) };
const fetchError = async (server: MetricsServer): Promise<unknown> =>
  await requestMetrics(server, request).catch((error: unknown) => error);

it('keeps the path of the address and encodes the parameters', async () => {
  const asked: string[] = [];
  const address = await serve(({ url = '' }, response) => {
    asked.push(url);
    response.end('{"data":"nothing"}');
  });
  for (const url of [`http://${address}/root`, `http://${address}/root/`])
    await requestMetrics({ url }, { ...request, parameters: { query: 'up{a="&"}' } });
  await requestMetrics({ url: `http://${address}` }, request);
  const query = 'query=up%7Ba%3D%22%26%22%7D';
  expect(asked).toEqual([`/root/api/v1/query?${query}`, `/root/api/v1/query?${query}`, '/api/v1/query']);
});

it.each([
  ['tokenFile', 'a', 'b', 'Bearer a', 'Bearer b', 'PROMETHEUS_TOKEN_FILE'],
  ['basicAuthFile', 'u:a', 'u:b', 'Basic dTph', 'Basic dTpi', 'PROMETHEUS_BASIC_AUTH_FILE'],
])('reads the %s for each request', async (field, first, second, firstHeader, secondHeader, variable) => {
  const asked: (string | undefined)[] = [];
  const url = `http://${await serve((received, response) => {
    asked.push(received.headers.authorization);
    response.end('{"data":"nothing"}');
  })}`;
  const file = join(await createScratchFolder(), 'secret');
  for (const secret of [first, second]) {
    await writeFile(file, `${secret}\n`);
    await requestMetrics({ url, [field]: file }, request);
  }
  expect(asked).toEqual([firstHeader, secondHeader]);
  await rm(file);
  expect(await fetchError({ url, [field]: file })).toMatchObject({
    code: 'unavailable',
    reason: 'metrics-unavailable',
    message: expect.stringContaining(`the file of ${variable} cannot be read`),
  });
});

it.each([
  [401, 'no', 'rejected the credentials (401). Check PROMETHEUS_TOKEN_FILE'],
  [403, 'no', 'rejected the credentials (403). Check PROMETHEUS_TOKEN_FILE'],
  [200, '<html>Sign in</html>', 'is not one of Prometheus. Check PROMETHEUS_URL'],
  [503, JSON.stringify({ status: 'error', error: 'still starting' }), '(503): still starting'],
])('unavailable: reports the response %i "%s" without the address', async (status, body, words) => {
  const address = await serve((_, response) => response.writeHead(status).end(body));
  const error = await fetchError({ url: `http://${address}` });
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(words) });
  expect(String(error)).not.toContain(address);
});

it('unavailable: names the setting of a server that a platform admin named, and not its texts', async () => {
  const address = await serve((_, response) => response.writeHead(401).end());
  const named = { setting: 'prometheusUrl of the cluster "apart"', fetch };
  expect(await fetchError({ url: `http://${address}`, ...named })).toMatchObject({
    message:
      'Prometheus, the source of metrics, requires credentials, and the service sends none (401). Check prometheusUrl of the cluster "apart".',
  });
  const talkative = await serve((_, response) => response.writeHead(500).end('{"error":"of another system"}'));
  expect(await fetchError({ url: `http://${talkative}`, ...named })).toMatchObject({
    message:
      'Prometheus, the source of metrics, failed to run the query (500). Check prometheusUrl of the cluster "apart".',
  });
  expect(await fetchError({ url: `http://127.0.0.1:${await reservePort()}`, ...named })).toMatchObject({
    message: expect.stringContaining('Check prometheusUrl of the cluster "apart".'),
  });
});

it('unavailable: reports a refused connection without the address', async () => {
  const server = { url: `http://127.0.0.1:${await reservePort()}` };
  expect(await fetchError(server)).toMatchObject({
    code: 'unavailable',
    message: 'Prometheus, the source of metrics, does not respond (ECONNREFUSED). Check PROMETHEUS_URL.',
  });
  await expect(requestMetrics(server, { ...request, ...alertmanagerWords })).rejects.toThrow(
    'Alertmanager, the source of alerts, does not respond (ECONNREFUSED). Check ALERTMANAGER_URL.',
  );
});
