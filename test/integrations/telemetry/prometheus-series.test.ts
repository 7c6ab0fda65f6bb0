import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prometheusSeries } from '../../../src/integrations/telemetry/prometheus-series.ts';
import { formatContainerMetrics, buildPodMetrics } from '../../support/servers/cadvisor-metrics.ts';
import { describeWithPrometheus, startPrometheus } from '../../support/servers/prometheus.ts';

const zone = 'hello-rc';
const minuteMs = 60_000;
const startMs = Math.floor(Date.now() / minuteMs - 20) * minuteMs;
const tenMinutes = { from: new Date(startMs), to: new Date(startMs + 10 * minuteMs), stepSeconds: 300 };
const isAboutHalf = (cores: unknown): boolean => Math.abs(Number(cores) - 0.5) < 0.2;

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeWithPrometheus('prometheusSeries with a real Prometheus', () => {
  const kubelet = createServer();
  let url = '';
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    // While a container is replaced, both instances are reported.
    const replaced = [['first', 0, 12] as const, ['second', 10, 20] as const].flatMap(([id, from, to]) =>
      Array.from({ length: to - from }, (_, index) => ({
        metric: 'container_memory_working_set_bytes',
        labels: { namespace: zone, pod: 'replaced', container: 'app', id },
        value: 1e8,
        atMs: startMs + (from + index) * 30_000 + 7_000,
      })),
    );
    const history = formatContainerMetrics(replaced);
    const startedAtMs = Date.now();
    kubelet.on('request', (_, response) => {
      const cpuSeconds = 100 + (Date.now() - startedAtMs) / 2_000;
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(
        formatContainerMetrics(buildPodMetrics({ namespace: zone, pod: 'now', cpuSeconds, memoryBytes: 'NaN' })),
      );
    });
    const target = await listening(kubelet);
    ({ url, stop } = await startPrometheus({ history, scrapeTarget: target }));
  });
  afterAll(async () => {
    await stop();
    kubelet.close();
  });

  it('omits fields without samples from a point', async () => {
    const series = prometheusSeries({ url: `${url}/`, scrapeSeconds: 1 });
    const lastPoint = async () => {
      const range = { from: new Date(Date.now() - minuteMs), to: new Date(), stepSeconds: 1 };
      return (await series(zone, range)).find(({ pod }) => pod === 'now')?.points.at(-1);
    };
    await expect.poll(async () => (await lastPoint())?.cpuCores).toSatisfy(isAboutHalf);
    expect(Object.keys((await lastPoint()) ?? {})).toEqual(['at', 'cpuCores']);
  });

  it('counts a replaced container once', async () => {
    const [found] = await prometheusSeries({ url, scrapeSeconds: 30 })(zone, tenMinutes);
    expect(found?.pod).toBe('replaced');
    expect(found?.points.map(({ memoryBytes }) => memoryBytes)).toEqual([1e8, 1e8]);
  });

  it('escapes the name of the zone in the query', async () => {
    const series = prometheusSeries({ url, scrapeSeconds: 30 });
    for (const name of ['x"} or {namespace!="', `${zone}"`, '\\', '\n', '.*', 'ä\u0000\u2028'])
      expect(await series(name, tenMinutes)).toEqual([]);
  });

  it('reports the error of Prometheus', async () => {
    const tooMany = { ...tenMinutes, stepSeconds: 0.01 };
    await expect(prometheusSeries({ url, scrapeSeconds: 30 })(zone, tooMany)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('exceeded maximum resolution'),
    });
  });
});
