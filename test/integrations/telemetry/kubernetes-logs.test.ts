import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { kubernetesLogs } from '../../../src/integrations/telemetry/kubernetes-logs.ts';
import type { ZoneTelemetry } from '../../../src/integrations/telemetry/zone-telemetry.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

const zone = 'hello-rc';
const line = '2026-11-21T12:00:00.123456789+01:00 hello\n';
const parsedLine = [{ at: '2026-11-21T11:00:00.123Z', text: 'hello' }];

/** A busy machine takes longer than the defaults for what is not about a pod that never answers. */
const patient = { podMs: 200_000, allMs: 200_000 };

type AnswerLog = (pod: string, response: ServerResponse) => void;

/** Starts an API server with these pods that can simulate rare failures. */
async function startLogs(
  pods: string[],
  answerLog: AnswerLog,
  { isReady = () => true, isPatient = true }: { isReady?: () => boolean; isPatient?: boolean } = {},
): Promise<ZoneTelemetry['queryLogs']> {
  const api = await connectTestApiServer((request, response) => {
    const [, pod] = /\/pods\/([^/]+)\/log\?/.exec(request.url ?? '') ?? [];
    if (pod !== undefined) return answerLog(pod, response);
    if (request.url === '/readyz') return void response.writeHead(isReady() ? 200 : 500).end();
    const items = pods.map((name) => ({
      metadata: { name, namespace: zone },
      spec: { containers: [{ name: 'app' }] },
    }));
    response.end(JSON.stringify({ items }));
  });
  return kubernetesLogs(api, isPatient ? patient : undefined);
}

it('returns no lines for a pod on an unreachable node, without blocking other pods', async () => {
  const logs = await startLogs(['lost', 'well'], (pod, response) => void (pod === 'well' && response.end(line)), {
    isPatient: false,
  });
  expect(await logs(zone, { tailLines: 10 })).toEqual([
    { pod: 'lost', lines: [] },
    { pod: 'well', lines: parsedLine },
  ]);
});

it('returns no lines for an aborted log, and throws unavailable when the API server is not ready', async () => {
  const breakOff: AnswerLog = (_, response) => void response.write(line, () => response.destroy());
  const logs = await startLogs(['one'], breakOff);
  expect(await logs(zone, { tailLines: 10 })).toEqual([{ pod: 'one', lines: [] }]);
  const notReady = await startLogs(['one'], breakOff, { isReady: () => false });
  await expect(notReady(zone, { tailLines: 10 })).rejects.toMatchObject({ code: 'unavailable' });
});

it('reports a search that did not reach the beginning of the log, and of a pod that cannot be read', async () => {
  const many = line.repeat(20_000);
  const logs = await startLogs(['lost', 'one'], (pod, response) => {
    if (pod === 'lost') response.writeHead(400).end('{}');
    else response.end(many);
  });
  const found = await logs(zone, { tailLines: 2, contains: 'hello' });
  expect(found.map(({ lines, matches }) => [lines.length, matches])).toEqual([
    [0, { count: 0, isComplete: false }],
    [2, { count: 20_000, isComplete: false }],
  ]);
});

it('drops error messages of the kubelet', async () => {
  const kubeletError = 'unable to retrieve container logs for containerd://c0ffee\n';
  const logs = await startLogs(['one'], (_, response) => void response.end(`${kubeletError}${line}`));
  expect(await logs(zone, { tailLines: 10 })).toEqual([{ pod: 'one', lines: parsedLine }]);
});

it('reads the logs of many pods with limited concurrency', async () => {
  let [now, most] = [0, 0];
  const pods = Array.from({ length: 40 }, (_, index) => `pod-${String(index).padStart(2, '0')}`);
  const logs = await startLogs(pods, (_, response) => {
    most = Math.max(most, (now += 1));
    setImmediate(() => {
      now -= 1;
      response.end(line);
    });
  });
  expect(await logs(zone, { tailLines: 10 })).toEqual(pods.map((pod) => ({ pod, lines: parsedLine })));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(8);
});

it('keeps what fits in memory of a cluster that sends more pods and longer logs than it was asked for', async () => {
  const long = `${line.trim()}${'x'.repeat(12 * 2 ** 20)}`;
  const logs = await startLogs(['one', 'two', 'three'], (_, response) => void response.end(long));
  const found = await logs(zone, { tailLines: 10 });
  const lengths = found.map(({ lines }) => lines.reduce((sum, { text }) => sum + text.length, 0));
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(Math.min(...lengths)).toBeGreaterThan(3 * 2 ** 20);
  const many = Array.from({ length: 600 }, (_, index) => `pod-${index}`);
  const manyLogs = await startLogs(many, (_, response) => void response.end(line));
  expect(await manyLogs(zone, { tailLines: 1 })).toHaveLength(500);
});
