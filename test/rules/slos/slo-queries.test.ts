import { expect, it } from 'vitest';
import { toCountQueries, toErrorRatioQuery, toSeriesQuery } from '../../../src/rules/slos/slo-queries.ts';
import { buildLatencySlo, buildSlo } from './build-slo.ts';

const zone = 'shop-prod';

it('divides sums, and counts missing errors as none', () =>
  expect(toErrorRatioQuery({ slo: buildSlo(), zone }, '1h')).toBe(
    'clamp_max((sum(rate(http_requests_total{namespace="shop-prod", code=~"5.."}[1h])) or vector(0)) / (sum(rate(http_requests_total{namespace="shop-prod"}[1h])) > 0), 1)',
  ));

it('prints matchers itself', () => {
  const availability = { metric: 'm', filter: "path!='/healthz' ,", errors: 'status=`500`' };
  const slo = buildSlo({ indicator: { availability } });
  expect(toErrorRatioQuery({ slo, zone }, '5m')).toContain(
    'm{namespace="shop-prod", path!="/healthz", status="500"}[5m]',
  );
  expect(toSeriesQuery({ slo, zone })).toBe('count by (code) (m{namespace="shop-prod", path!="/healthz"})');
});

it('never prints matchers that cannot be parsed', () => {
  const slo = buildSlo({ indicator: { availability: { metric: 'm', filter: 'a="b"} or vector(1) #' } } });
  expect(toErrorRatioQuery({ slo, zone }, '5m')).not.toContain('vector(1)');
});

it('compares all requests with those within the threshold', () => {
  const slo = buildLatencySlo();
  const query = toErrorRatioQuery({ slo, zone }, '5m');
  expect(query).toContain('_bucket{namespace="shop-prod", le=~"1|1[.]0"}[5m]');
  expect(query).toMatch(/^clamp\(1 - sum\(.*_bucket.*\) \/ \(sum\(.*_count.*\) > 0\), 0, 1\)$/);
  expect(toSeriesQuery({ slo, zone })).toBe(
    'count by (le) (http_request_duration_seconds_bucket{namespace="shop-prod"})',
  );
});

it('extrapolates the two counters of a latency alike, unless they were reset', () => {
  const [count, bucket] = ['_count{namespace="shop-prod"}', '_bucket{namespace="shop-prod", le=~"1|1[.]0"}']
    .map((series) => `http_request_duration_seconds${series}[1h]`)
    .map((counter) => `sum((delta(${counter}) unless resets(${counter}) > 0) or increase(${counter}))`);
  const target = { slo: buildLatencySlo(), zone };
  expect(toErrorRatioQuery(target, '1h')).toContain(`${bucket} / (${count} > 0)`);
  expect(toCountQueries(target, { counter: 'increase', range: '1h' })).toEqual({
    requests: count,
    errors: `clamp_min(${count} - ${bucket}, 0)`,
  });
});
