import { describe, expect, it } from 'vitest';
import { kubernetesLogs } from '../../../src/integrations/telemetry/kubernetes-logs.ts';
import type { LogQuery } from '../../../src/integrations/telemetry/zone-telemetry.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

const zone = 'hello-rc';
const mebibyte = 2 ** 20;
type TestPod = { name: string; containers?: string[]; annotations?: Record<string, string> };
type Answer = { status?: number; text?: string };
type LogOptions = { log?: (parameters: Record<string, string>) => Answer; list?: Answer; isReady?: boolean };

/** Starts an API server with these pods, and records the requests as parameters of their path. */
async function startLogs(pods: TestPod[], { log = () => ({}), list = {}, isReady = true }: LogOptions = {}) {
  const requests: { path: string; parameters: Record<string, string> }[] = [];
  const items = pods.map(({ name, containers = ['app'], annotations }) => ({
    metadata: { name, namespace: zone, ...(annotations && { annotations }) },
    spec: { containers: containers.map((container) => ({ name: container })) },
  }));
  const api = await connectTestApiServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api.test');
    if (pathname === '/readyz') return void response.writeHead(isReady ? 200 : 500).end();
    const parameters = Object.fromEntries(searchParams);
    requests.push({ path: pathname, parameters });
    const { status = 200, text } = pathname.endsWith('/log') ? log(parameters) : list;
    response.writeHead(status).end(text ?? (pathname.endsWith('/log') ? '' : JSON.stringify({ items })));
  });
  const logs = kubernetesLogs(api);
  return {
    query: async (query: Partial<LogQuery> = {}) => await logs(zone, { tailLines: 10, ...query }),
    requests,
    logRequests: () => requests.filter(({ path }) => path.endsWith('/log')),
  };
}

const at = (second: number): string => `2026-11-21T11:00:${String(second).padStart(2, '0')}.000Z`;
const toText = (...lines: [second: number, text: string][]): string =>
  lines.map(([second, text]) => `${at(second)} ${text}\n`).join('');

describe('the pods whose logs are read', () => {
  it('are those of the namespace, sorted by name', async () => {
    const { query, requests } = await startLogs([{ name: 'b' }, { name: 'a' }], {
      log: () => ({ text: toText([1, 'hello']) }),
    });
    const lines = [{ at: at(1), text: 'hello' }];
    expect(await query()).toEqual([
      { pod: 'a', lines },
      { pod: 'b', lines },
    ]);
    expect(requests[0]).toEqual({ path: `/api/v1/namespaces/${zone}/pods`, parameters: { limit: '500' } });
  });

  it('are selected by the name of one', async () => {
    const { query, requests } = await startLogs([{ name: 'a' }]);
    await query({ pod: 'a' });
    expect(requests[0]?.parameters).toMatchObject({ fieldSelector: 'metadata.name=a' });
  });

  it('are those with the container that is asked for', async () => {
    const { query, logRequests } = await startLogs([
      { name: 'a', containers: ['app', 'proxy'] },
      { name: 'b', containers: ['app'] },
    ]);
    expect(await query({ container: 'proxy' })).toEqual([{ pod: 'a', lines: [] }]);
    expect(logRequests().map(({ parameters }) => parameters['container'])).toEqual(['proxy']);
  });
});

describe('the container of a pod', () => {
  it.each([
    ['the default of an annotation', { 'kubectl.kubernetes.io/default-container': 'app' }, 'app'],
    ['else the first', undefined, 'proxy'],
  ])('is %s', async (_name, annotations, expected) => {
    const { query, logRequests } = await startLogs([
      { name: 'a', containers: ['proxy', 'app'], ...(annotations && { annotations }) },
    ]);
    await query();
    expect(logRequests()[0]?.parameters).toEqual({
      container: expected,
      timestamps: 'true',
      tailLines: '10',
      limitBytes: String(4 * mebibyte),
    });
  });

  it('shares the memory with the others', async () => {
    const pods = Array.from({ length: 16 }, (_, index) => ({ name: `pod-${index}` }));
    const { query, logRequests } = await startLogs(pods);
    await query();
    expect(logRequests().map(({ parameters }) => parameters['limitBytes'])).toEqual(
      pods.map(() => String(2 * mebibyte)),
    );
  });

  it('is read before its last restart', async () => {
    const { query, logRequests } = await startLogs([{ name: 'a' }]);
    await query({ previous: true });
    await query({ previous: false });
    expect(logRequests().map(({ parameters }) => parameters['previous'])).toEqual(['true', undefined]);
  });
});

describe('lines', () => {
  it('are those since a time, to the millisecond', async () => {
    const text = toText([1, 'before'], [2, 'at'], [3, 'after']);
    const { query, logRequests } = await startLogs([{ name: 'a' }], { log: () => ({ text }) });
    const [log] = await query({ since: new Date(at(2)) });
    expect(log?.lines.map((line) => line.text)).toEqual(['at', 'after']);
    expect(logRequests()[0]?.parameters).toMatchObject({ sinceTime: at(2) });
  });

  it('are the last of those with a text, which is searched in many more', async () => {
    const text = toText([1, 'a fault'], [2, 'well'], [3, 'fault'], [4, 'a  fault']);
    const { query, logRequests } = await startLogs([{ name: 'a' }], { log: () => ({ text }) });
    expect(await query({ contains: 'fault', tailLines: 2 })).toEqual([
      {
        pod: 'a',
        lines: [
          { at: at(3), text: 'fault' },
          { at: at(4), text: 'a  fault' },
        ],
        matches: { count: 3, isComplete: true },
      },
    ]);
    expect(logRequests()[0]?.parameters).toMatchObject({ tailLines: '20000' });
    expect((await query())[0]).not.toHaveProperty('matches');
  });

  it('are read again with fewer when the response was cut', async () => {
    const line = toText([1, 'x'.repeat(1_000)]);
    const { query, logRequests } = await startLogs([{ name: 'a' }], {
      log: ({ tailLines }) => ({ text: Number(tailLines) > 100 ? line.repeat(5_000) : line }),
    });
    expect((await query({ tailLines: 6_000 }))[0]?.lines).toHaveLength(1);
    expect(logRequests().map(({ parameters }) => parameters['tailLines'])).toEqual(['6000', '750', '94']);
  });

  it('are cut if a single one is too long', async () => {
    const { query, logRequests } = await startLogs([{ name: 'a' }], {
      log: () => ({ text: toText([1, 'x'.repeat(4 * mebibyte)]) }),
    });
    expect((await query({ tailLines: 1 }))[0]?.lines).toHaveLength(1);
    expect(logRequests()).toHaveLength(1);
  });
});

describe('a failure', () => {
  it.each([
    [401, 'Grant it "list" on pods'],
    [403, 'Grant it "list" on pods'],
    [400, 'is unavailable (400). Retry in a moment'],
  ])('to list pods is reported: %d', async (status, words) => {
    const { query } = await startLogs([], { list: { status, text: '{"message":"No"}' } });
    await expect(query()).rejects.toMatchObject({
      reason: 'logs-unavailable',
      message: expect.stringContaining(words),
      retryAfterMs: 5_000,
    });
  });

  it('of permissions to read a log is reported', async () => {
    const { query } = await startLogs([{ name: 'a' }], { log: () => ({ status: 403, text: '{"message":"No"}' }) });
    await expect(query()).rejects.toThrow('The logs of zone "hello-rc" cannot be read: the service account has no');
  });

  it('of one pod is no failure while the API server is ready', async () => {
    const log = () => ({ status: 404, text: '{"message":"No"}' });
    const ready = await startLogs([{ name: 'a' }], { log });
    expect(await ready.query()).toEqual([{ pod: 'a', lines: [] }]);
    expect(await ready.query({ contains: 'x' })).toEqual([
      { pod: 'a', lines: [], matches: { count: 0, isComplete: false } },
    ]);
    const down = await startLogs([{ name: 'a' }], { log, isReady: false });
    await expect(down.query()).rejects.toThrow('unavailable (404)');
  });
});
