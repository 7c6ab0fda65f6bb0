import { expect, it, onTestFinished } from 'vitest';
import { createMeasurements } from '../../../api/slos/measurements.ts';
import { queryInstant } from '../../../src/integrations/telemetry/prometheus-queries.ts';
import { describeWithPrometheus, startPrometheus } from '../../support/servers/prometheus.ts';

const labels = { org: 'acme', product: 'shop', zone: 'shop-prod', slo: 'answered' };
const toSeries = (name: string, value: number, at: number, product = 'shop') =>
  `${name}{org="acme",product="${product}",slo="answered",zone="shop-prod"} ${value} ${at}`;

describeWithPrometheus('createMeasurements', () => {
  it('reads the window that was recorded some minutes ago, but no burn rate of then', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const history = [
      toSeries('service:slo_errors:ratio_1h', 0.5, now - 400),
      toSeries('service:slo_errors:ratio_6h', 0.01, now - 20),
      toSeries('service:slo_errors:ratio_7d', 0.002, now - 400),
      toSeries('service:slo_requests:increase_5m', 300, now - 400),
      toSeries('service:slo_errors:increase_5m', 3, now - 20),
      toSeries('service:slo_errors:ratio_7d', 1, now - 20, 'other'),
    ];
    const { url, stop } = await startPrometheus({ history: `${history.toSorted().join('\n')}\n` });
    onTestFinished(stop);
    const read = createMeasurements({ queryInstant: queryInstant({ url }) });
    const { samples } = (await read({ org: 'acme', product: 'shop' })) as { samples: object[] };
    expect(samples).toHaveLength(3);
    expect(samples).toEqual(
      expect.arrayContaining([
        { labels: { ...labels, __name__: 'service:slo_errors:ratio_6h' }, value: 0.01 },
        { labels: { ...labels, __name__: 'service:slo_errors:ratio_7d' }, value: 0.002 },
        { labels: { ...labels, __name__: 'service:slo_requests:increase_5m' }, value: 300 },
      ]),
    );
    const ofOrg = (await read({ org: 'acme' })) as { samples: object[] };
    expect(ofOrg.samples).toHaveLength(4);
  });
});
