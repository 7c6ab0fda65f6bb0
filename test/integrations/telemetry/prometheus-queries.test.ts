import { afterAll, beforeAll, expect, it } from 'vitest';
import { listRules, queryInstant, queryRange } from '../../../src/integrations/telemetry/prometheus-queries.ts';
import { describeWithPrometheus, startPrometheus } from '../../support/servers/prometheus.ts';

const startSeconds = Math.floor(Date.now() / 60_000 - 30) * 60;
const atMinute = (minute: number): Date => new Date((startSeconds + minute * 60) * 1_000);
const history = [
  '# TYPE visits counter',
  ...Array.from(
    { length: 11 },
    (_, minute) => `visits_total{zone="a \\"b\\""} ${minute * 60} ${startSeconds + minute * 60}`,
  ),
  '',
].join('\n');
const rules = [
  {
    name: 'visits',
    rules: [
      { record: 'zone:visits:rate', expr: 'rate(visits_total[5m])', labels: { team: 'shop' } },
      {
        alert: 'AlwaysFires',
        expr: 'vector(1)',
        labels: { severity: 'critical' },
        annotations: { summary: 'It fires' },
      },
      { alert: 'NeverFires', expr: 'vector(1) > 2' },
      { alert: 'Fails', expr: 'label_replace(vector(1), "1bad", "x", "", "")' },
    ],
  },
];

describeWithPrometheus('queries of a real Prometheus', () => {
  let url = '';
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    ({ url, stop } = await startPrometheus({ history, rules }));
  });
  afterAll(async () => await stop());

  it('returns the labels and values of a vector at a time', async () => {
    const found = await queryInstant({ url })('visits_total', atMinute(3));
    expect(found).toEqual([{ labels: { __name__: 'visits_total', zone: 'a "b"' }, value: 180 }]);
    expect(await queryInstant({ url })('visits_total{zone="other"}', atMinute(3))).toEqual([]);
  });

  it('returns a scalar as one sample without labels, and the special values as numbers', async () => {
    const values = await Promise.all(
      ['1.5', '1/0', '-1/0', '0/0'].map(async (query) => await queryInstant({ url })(query)),
    );
    expect(values.map(([sample]) => sample?.value)).toEqual([1.5, Infinity, -Infinity, NaN]);
    expect(await queryInstant({ url })('vector(0)/0')).toEqual([{ labels: {}, value: NaN }]);
  });

  it('returns each step of a range at its end', async () => {
    const range = { from: atMinute(0), to: atMinute(4), stepSeconds: 120 };
    expect(await queryRange({ url })('visits_total', range)).toEqual([
      {
        labels: { __name__: 'visits_total', zone: 'a "b"' },
        points: [
          { at: atMinute(2), value: 120 },
          { at: atMinute(4), value: 240 },
        ],
      },
    ]);
  });

  it('reports a wrong expression with the words of Prometheus', async () => {
    await expect(queryInstant({ url })('up{')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('parse error'),
    });
  });

  it('lists loaded rules with their state, and the error of one that cannot be evaluated', async () => {
    const list = async () => (await listRules({ url })())[0]?.rules ?? [];
    await expect
      .poll(async () => (await list()).map(({ health }) => health), { timeout: 60_000 })
      .not.toContain('unknown');
    const [group] = await listRules({ url })();
    expect(group).toMatchObject({ name: 'visits', intervalSeconds: 1 });
    expect(await list()).toEqual([
      expect.objectContaining({ kind: 'recording', name: 'zone:visits:rate', labels: { team: 'shop' }, health: 'ok' }),
      expect.objectContaining({
        kind: 'alerting',
        name: 'AlwaysFires',
        state: 'firing',
        lastEvaluation: expect.any(Date),
      }),
      expect.objectContaining({ kind: 'alerting', name: 'NeverFires', state: 'inactive', labels: {}, health: 'ok' }),
      expect.objectContaining({
        kind: 'alerting',
        name: 'Fails',
        health: 'err',
        error: expect.stringContaining('1bad'),
      }),
    ]);
  });
});
