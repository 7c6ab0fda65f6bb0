import type { SloSpec } from '../../../../src/rules/slos/kinds.ts';
import type { Exporter } from './generate-traffic.ts';

const metric = 'http_requests_total';
const histogram = 'http_request_duration_seconds';
const request = { metric, role: 'request' } as const;
const error = { metric, role: 'error' } as const;

/** Splits bad requests over two codes, and writes requests that are no errors of the server. */
export const byCode: Exporter = (draw) => {
  const isLazy = draw(2) === 0;
  return {
    counters: [
      { ...request, labels: { code: '200' } },
      { ...request, labels: { code: '404' } },
      { ...error, labels: { code: '500' }, isLazy },
      { ...error, labels: { code: '503' }, isLazy },
    ],
    observe({ good, bad }) {
      const [missing, broken] = [Math.floor(good / 5), Math.floor(bad / 2)];
      return [good - missing, missing, broken, bad - broken];
    },
  };
};

/** Counts only the requests of a filter and not the much traffic that always fails. */
export const byFilter: Exporter = (draw) => ({
  counters: [
    { ...request, labels: { status: 'fine', path: '/' } },
    { ...error, labels: { status: 'broken', path: '/' }, isLazy: draw(2) === 0 },
    { metric, role: 'noise', labels: { status: 'broken', path: '/healthz' } },
  ],
  observe: ({ good, bad }) => [good, bad, 1_000],
});

export const byLatency =
  (le: string): Exporter =>
  () => ({
    counters: [
      { metric: `${histogram}_count`, role: 'request', labels: {} },
      { metric: `${histogram}_bucket`, role: 'within', labels: { le } },
      { metric: `${histogram}_bucket`, role: 'noise', labels: { le: '0.001' } },
      { metric: `${histogram}_bucket`, role: 'noise', labels: { le: '+Inf' } },
    ],
    observe: ({ good, bad }) => [good + bad, good, Math.floor(good / 2), good + bad],
  });

/** The indicators that count what the exporters write. */
export const filterIndicator: SloSpec['indicator'] = {
  availability: { metric, errors: 'status="broken"', filter: 'path!="/healthz"' },
};
export const toLatencyIndicator = (threshold: string): SloSpec['indicator'] => ({ latency: { histogram, threshold } });
