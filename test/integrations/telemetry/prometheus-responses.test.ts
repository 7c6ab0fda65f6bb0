import { describe, expect, it } from 'vitest';
import { listRules, queryInstant, queryRange } from '../../../src/integrations/telemetry/prometheus-queries.ts';
import { prometheusSeries } from '../../../src/integrations/telemetry/prometheus-series.ts';
import { startSite } from '../../support/servers/test-sites.ts';

const zone = 'hello-rc';
const from = new Date('2026-05-04T10:00:00Z');
const seconds = from.getTime() / 1_000;

/** Starts a server that answers as the API of Prometheus documents it, and records the queries. */
async function startResponses(answer: (parameters: URLSearchParams) => object) {
  const queries: Record<string, string>[] = [];
  const site = await startSite(
    new Proxy(
      {},
      {
        get: () => (request: { url?: string }, response: { end: (text: string) => void }) => {
          const { searchParams } = new URL(request.url ?? '', 'http://prometheus.test');
          queries.push(Object.fromEntries(searchParams));
          response.end(JSON.stringify({ status: 'success', data: answer(searchParams) }));
        },
      },
    ),
  );
  return { url: `http://127.0.0.1:${site.port}`, queries };
}

describe('queries', () => {
  it('are evaluated now or at a time', async () => {
    const { url, queries } = await startResponses(() => ({ resultType: 'scalar', result: [seconds, '+Inf'] }));
    expect(await queryInstant({ url })('1/0')).toEqual([{ labels: {}, value: Infinity }]);
    await queryInstant({ url })('up', from);
    expect(queries).toEqual([{ query: '1/0' }, { query: 'up', time: String(seconds) }]);
  });

  it('cover a range of steps, each of them at its end', async () => {
    const { url, queries } = await startResponses(() => ({
      resultType: 'matrix',
      result: [{ metric: { pod: 'a' }, values: [[seconds + 60.0004, '-Inf']] }],
    }));
    const range = { from, to: new Date(from.getTime() + 120_000), stepSeconds: 60 };
    expect(await queryRange({ url })('up', range)).toEqual([
      { labels: { pod: 'a' }, points: [{ at: new Date('2026-05-04T10:01:00Z'), value: -Infinity }] },
    ]);
    expect(queries).toEqual([{ query: 'up', start: String(seconds + 60), end: String(seconds + 120), step: '60' }]);
  });

  it('list rules that were not evaluated yet, and those that fail', async () => {
    const common = { query: 'up', health: 'unknown', lastEvaluation: '0001-01-01T00:00:00Z', lastError: '' };
    const failing = { health: 'err', lastEvaluation: '2026-05-04T10:00:00Z', lastError: 'bad', labels: { a: 'b' } };
    const { url } = await startResponses(() => ({
      groups: [
        {
          name: 'g',
          file: '/rules/g.yml',
          interval: 30,
          rules: [
            { ...common, type: 'recording', name: 'r' },
            { ...common, ...failing, type: 'alerting', name: 'f', state: 'pending' },
          ],
        },
      ],
    }));
    expect(await listRules({ url })()).toEqual([
      {
        name: 'g',
        file: '/rules/g.yml',
        intervalSeconds: 30,
        rules: [
          { kind: 'recording', name: 'r', query: 'up', labels: {}, health: 'unknown' },
          {
            kind: 'alerting',
            name: 'f',
            query: 'up',
            labels: { a: 'b' },
            health: 'err',
            error: 'bad',
            lastEvaluation: from,
            state: 'pending',
          },
        ],
      },
    ]);
  });
});

describe('the usage of pods', () => {
  const range = { from, to: new Date(from.getTime() + 120_000), stepSeconds: 60 };
  const values = (...amounts: [minute: number, value: string][]) =>
    amounts.map(([minute, value]) => [seconds + minute * 60, value]);
  /** The value of each query, by a word in it. */
  const byMetric = (parameters: URLSearchParams): object => {
    const query = parameters.get('query') ?? '';
    const result = query.includes('cpu')
      ? [
          { metric: { pod: 'b' }, values: values([2, '0.5'], [1, '0.25']) },
          { metric: { pod: 'a' }, values: values([1, 'NaN']) },
          { metric: { pod: 'c' }, values: values([1, '1']) },
        ]
      : query.includes('memory')
        ? [{ metric: { pod: 'b' }, values: values([1, '100']) }]
        : query.includes('receive')
          ? [{ metric: { pod: 'b' }, values: values([1, '7']) }]
          : [{ metric: { pod: 'b' }, values: values([1, '8']) }];
    return { resultType: 'matrix', result };
  };

  it('is sorted by pod and time, without what is no number', async () => {
    const { url } = await startResponses(byMetric);
    expect(await prometheusSeries({ url, scrapeSeconds: 30 })(zone, range)).toEqual([
      {
        pod: 'b',
        points: [
          {
            at: '2026-05-04T10:00:00.000Z',
            cpuCores: 0.25,
            memoryBytes: 100,
            receivedBytesPerSecond: 7,
            sentBytesPerSecond: 8,
          },
          { at: '2026-05-04T10:01:00.000Z', cpuCores: 0.5 },
        ],
      },
      { pod: 'c', points: [{ at: '2026-05-04T10:00:00.000Z', cpuCores: 1 }] },
    ]);
  });

  it.each([
    [15, '[60s]'],
    [30, '[120s]'],
  ])('is averaged over a step, and at least over four scrapes of %d seconds', async (scrapeSeconds, window) => {
    const { url, queries } = await startResponses(byMetric);
    await prometheusSeries({ url, scrapeSeconds })(zone, range);
    expect(queries).toHaveLength(4);
    for (const { query } of queries) expect(query).toContain(window);
  });
});
