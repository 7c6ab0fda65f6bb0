import { expect, it } from 'vitest';
import { listSloIssues } from '../../../src/rules/slos/list-slo-issues.ts';
import { buildLatencySlo, buildSlo } from './build-slo.ts';

const ownErrors = { indicator: { availability: { metric: 'http_requests_total', errors: 'error!=""' } } };
const buckets = (...values: string[]) => values.map((le) => ({ labels: { le } }));

it.each([
  ['nothing about a metric that exists', buildSlo(), [{ labels: {} }, { labels: { code: '200' } }], undefined],
  ['nothing about the labels of errors that a person chose', buildSlo(ownErrors), [{ labels: {} }], undefined],
  ['that nothing can count as an error', buildSlo(), [{ labels: {} }], /no series .* has the label code/i],
  ['nothing about a bucket in another spelling', buildLatencySlo(), buckets('0.5', '1.0', '+Inf'), undefined],
  ['nothing about metrics while Prometheus is away', buildSlo(), undefined, undefined],
  ['that the metric is absent', buildSlo(), [], /no series of http_requests_total/],
  ['that the histogram is absent', buildLatencySlo(), [], /no series of http_request_duration_seconds_bucket/],
  [
    'the buckets to choose from',
    buildLatencySlo(),
    buckets('2', '0.5', '+Inf'),
    /no bucket of 1 s: choose one of 0\.5, 2\./,
  ],
  [
    'that the fast alert cannot fire',
    buildSlo({ objective: '93' }),
    undefined,
    /^The fast burn alert can never .*93\.06 %/,
  ],
  [
    'that no burn alert can fire',
    buildSlo({ objective: '80' }),
    undefined,
    /^The fast and the slow burn alert .*83\.34 %/,
  ],
])('says %s', (_, slo, series, message) => {
  const issues = listSloIssues(slo, series);
  expect(issues).toHaveLength(message === undefined ? 0 : 1);
  expect(issues.join('')).toMatch(message ?? /^$/);
});
