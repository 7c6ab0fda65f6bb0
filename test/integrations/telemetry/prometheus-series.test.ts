import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { prometheusSeries, type PrometheusOptions } from '../../../src/integrations/telemetry/prometheus-series.ts';
import { freePort } from '../../../src/main/ports.ts';
import { containerMetrics, podMetrics } from '../../support/cadvisor.ts';
import { describeWithPrometheus, startPrometheus } from '../../support/prometheus.ts';

const zone = 'hello-rc';
const minuteMs = 60_000;
const startMs = Math.floor(Date.now() / minuteMs - 20) * minuteMs;
const tenMinutes = { from: new Date(startMs), to: new Date(startMs + 10 * minuteMs), stepSeconds: 300 };
const isAboutHalf = (cores: unknown): boolean => Math.abs(Number(cores) - 0.5) < 0.2;

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return await listening(server);
}

describeWithPrometheus('on a real Prometheus', () => {
  const kubelet = createServer();
  let url = '';
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    // A container is replaced: for a while it is told of both.
    const replaced = [['first', 0, 12] as const, ['second', 10, 20] as const].flatMap(([id, from, to]) =>
      Array.from({ length: to - from }, (_, index) => ({
        metric: 'container_memory_working_set_bytes',
        labels: { namespace: zone, pod: 'replaced', container: 'app', id },
        value: 1e8,
        atMs: startMs + (from + index) * 30_000 + 7_000,
      })),
    );
    const history = containerMetrics(replaced);
    const startedAtMs = Date.now();
    kubelet.on('request', (_, response) => {
      const cpuSeconds = 100 + (Date.now() - startedAtMs) / 2_000;
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(containerMetrics(podMetrics({ namespace: zone, pod: 'now', cpuSeconds, memoryBytes: 'NaN' })));
    });
    const target = await listening(kubelet);
    ({ url, stop } = await startPrometheus({ history, target }));
  });
  afterAll(async () => {
    await stop();
    kubelet.close();
  });

  it('what was not measured is left out of a point', async () => {
    const series = prometheusSeries({ url: `${url}/`, scrapeSeconds: 1 });
    const lastPoint = async () => {
      const range = { from: new Date(Date.now() - minuteMs), to: new Date(), stepSeconds: 1 };
      return (await series(zone, range)).find(({ pod }) => pod === 'now')?.points.at(-1);
    };
    await expect.poll(async () => (await lastPoint())?.cpuCores, { timeout: 30_000 }).toSatisfy(isAboutHalf);
    expect(Object.keys((await lastPoint()) ?? {})).toEqual(['at', 'cpuCores']);
  });

  it('a container that is replaced counts once', async () => {
    const [found] = await prometheusSeries({ url, scrapeSeconds: 30 })(zone, tenMinutes);
    expect(found?.pod).toBe('replaced');
    expect(found?.points.map(({ memoryBytes }) => memoryBytes)).toEqual([1e8, 1e8]);
  });

  it('a zone’s name is never a part of the question', async () => {
    const series = prometheusSeries({ url, scrapeSeconds: 30 });
    for (const name of ['x"} or {namespace!="', `${zone}"`, '\\', '\n', '.*', 'ä\u0000\u2028'])
      expect(await series(name, tenMinutes)).toEqual([]);
  });

  it('says what Prometheus says no to', async () => {
    const tooMany = { ...tenMinutes, stepSeconds: 0.01 };
    await expect(prometheusSeries({ url, scrapeSeconds: 30 })(zone, tooMany)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('exceeded maximum resolution'),
    });
  });
});

const refusalOf = async (options: Partial<PrometheusOptions> & { url: string }): Promise<unknown> =>
  await prometheusSeries({ scrapeSeconds: 30, ...options })(zone, tenMinutes).catch((error: unknown) => error);
const nothing = { status: 'success', data: { resultType: 'matrix', result: [] } };

it('asks with the token as its file has it at the time', async () => {
  const asked = new Set<string | undefined>();
  const url = `http://${await serve((request, response) => {
    asked.add(request.headers.authorization);
    response.end(JSON.stringify(nothing));
  })}`;
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  const series = prometheusSeries({ url, tokenFile, scrapeSeconds: 30 });
  for (const token of ['first', 'second']) {
    await writeFile(tokenFile, `${token}\n`);
    expect(await series(zone, tenMinutes)).toEqual([]);
  }
  expect([...asked]).toEqual(['Bearer first', 'Bearer second']);
  await rm(tokenFile);
  expect(await refusalOf({ url, tokenFile })).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('PROMETHEUS_TOKEN_FILE'),
  });
});

it.each([
  [401, 'no', 'refuses the service (401). Check PROMETHEUS_TOKEN_FILE'],
  [200, '<html>Sign in</html>', 'does not speak as Prometheus does. Check PROMETHEUS_URL'],
  [503, JSON.stringify({ status: 'error', error: 'still starting' }), '(503): still starting'],
])('unavailable: %i and "%s" is said in words', async (status, body, words) => {
  const address = await serve((_, response) => response.writeHead(status).end(body));
  const refusal = await refusalOf({ url: `http://${address}` });
  expect(refusal).toMatchObject({ code: 'unavailable', message: expect.stringContaining(words) });
  expect(String(refusal)).not.toContain(address);
});

it('unavailable: that nobody is there is said without where', async () => {
  const refusal = await refusalOf({ url: `http://127.0.0.1:${await freePort()}` });
  expect(refusal).toMatchObject({
    code: 'unavailable',
    message: 'Prometheus, which measures what pods use, does not answer (ECONNREFUSED). Check PROMETHEUS_URL.',
  });
});
