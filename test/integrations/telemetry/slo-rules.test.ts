import { expect, it } from 'vitest';
import type { SloSpec } from '../../../src/rules/slos/kinds.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { toRuleGroups } from '../../../src/rules/slos/to-prometheus-rule.ts';
import { buildLatencySlo, buildSlo } from '../../rules/slos/build-slo.ts';
import { buildSloProduct } from '../../rules/slos/build-slo-product.ts';
import { describeWithPrometheus } from '../../support/servers/prometheus.ts';
import { runPromtool } from '../../support/servers/promtool.ts';

const zone = 'shop-prod';
const histogram = 'http_request_duration_seconds';
const http = (labels: string): string => `http_requests_total{namespace="${zone}"${labels}}`;

type Shape = {
  slo: SloSpec;
  /** Series with 60 samples of good traffic, 20 of bad and 400 of good again, one a minute. */
  series: { series: string; values: string }[];
};
const good = (perMinute: number): string => `0+${perMinute}x479`;
/** A counter that rises in the bad 20 minutes only. */
const bad = (perMinute: number): string => `0+0x60 ${perMinute}+${perMinute}x19 ${20 * perMinute}+0x399`;
/** The good requests within the threshold: none during the bad minutes. */
const fast = `0+100x60 6000+0x19 6100+100x399`;

const shapes: Record<string, Shape> = {
  availability: {
    slo: buildSlo(),
    series: [
      { series: http(', code="200", pod="a"'), values: good(100) },
      { series: http(', code="500", pod="a"'), values: bad(50) },
    ],
  },
  'latency with le as "1"': {
    slo: buildLatencySlo({ objective: '99' }),
    series: [
      { series: `${histogram}_count{namespace="${zone}"}`, values: good(100) },
      { series: `${histogram}_bucket{namespace="${zone}", le="1"}`, values: fast },
    ],
  },
  'latency with le as "1.0"': {
    slo: buildLatencySlo({ objective: '99' }),
    series: [
      { series: `${histogram}_count{namespace="${zone}"}`, values: good(100) },
      { series: `${histogram}_bucket{namespace="${zone}", le="1.0"}`, values: fast },
    ],
  },
  'filters and other errors': {
    slo: buildSlo({
      indicator: {
        availability: { metric: 'http_requests_total', errors: 'status="broken"', filter: 'path!="/healthz"' },
      },
    }),
    series: [
      { series: http(', status="fine", path="/"'), values: good(100) },
      { series: http(', status="broken", path="/"'), values: bad(50) },
      // These alone would make the ratio too small to alert.
      { series: http(', status="fine", path="/healthz"'), values: good(1_000_000) },
    ],
  },
  'several zones': {
    slo: buildSlo({ zones: ['shop-rc', zone] }),
    series: [
      { series: http(', code="200"'), values: good(100) },
      { series: http(', code="500"'), values: bad(50) },
      { series: 'http_requests_total{namespace="shop-rc", code="200"}', values: good(100) },
    ],
  },
  'an odd window': {
    slo: buildSlo({ window: '100h' }),
    series: [
      { series: http(', code="200", pod="a"'), values: good(50) },
      { series: http(', code="200", pod="b"'), values: '0+50x30 0+50x448' },
      { series: http(', code="503", pod="b"'), values: bad(50) },
    ],
  },
};

const alertLabels = (slo: SloSpec, severity: string) => ({
  org: 'acme',
  product: 'shop',
  zone,
  slo: slo.name,
  namespace: 'org-acme',
  severity,
});
const sampleLabels = (slo: SloSpec): string => `{org="acme", product="shop", slo="${slo.name}", zone="${zone}"}`;

describeWithPrometheus('SLO rules', () => {
  it.each(Object.entries(shapes))('of %s are valid, and alert while they burn', async (_, { slo, series }) => {
    const groups = toRuleGroups(buildSloProduct([slo]), defaultRetentionMs);
    const checked = await runPromtool('check', { groups });
    expect(checked).toMatchObject({ ok: true });
    // Only the identity of the alerts is of interest here; the texts have a test of their own.
    const bare = groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ annotations: _texts, ...rule }) => rule),
    }));
    const fires = (time: string, isFast: boolean, isSlow: boolean) => [
      {
        eval_time: time,
        alertname: 'ServiceFastBurn',
        exp_alerts: isFast ? [{ exp_labels: alertLabels(slo, 'critical') }] : [],
      },
      {
        eval_time: time,
        alertname: 'ServiceSlowBurn',
        exp_alerts: isSlow ? [{ exp_labels: alertLabels(slo, 'warning') }] : [],
      },
    ];
    const tests = [
      {
        interval: '1m',
        input_series: series,
        alert_rule_test: [
          ...fires('59m', false, false),
          ...fires('78m', true, true),
          // Five minutes without errors end the fast alert, and 30 minutes the slow one.
          ...fires('87m', false, true),
          ...fires('115m', false, false),
        ],
        promql_expr_test: [
          {
            expr: 'service:slo_errors:ratio_5m{zone="shop-prod"} == 0',
            eval_time: '59m',
            exp_samples: [{ labels: `service:slo_errors:ratio_5m${sampleLabels(slo)}`, value: 0 }],
          },
        ],
      },
    ];
    const tested = await runPromtool('test', { groups: bare, test: { evaluation_interval: '1m', tests } });
    expect(tested.ok, tested.output).toBe(true);
  });

  it.each([
    ['no pod is available', '3x10', '2x2 0x8', true],
    ['the zone is scaled to zero', '3x2 0x8', '2x2 0x8', false],
    ['the Deployment is deleted', '3x3', '2x3', true],
    ['a pod is available', '3x10', '1x10', false],
  ])('the zone-down alert when %s', async (_, replicas, available, isDown) => {
    const groups = toRuleGroups(buildSloProduct([buildSlo()]), defaultRetentionMs);
    const bare = groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ annotations: _texts, ...rule }) => rule),
    }));
    const { slo: _slo, ...labels } = alertLabels(buildSlo(), 'critical');
    const expand = (values: string): string =>
      values
        .split(' ')
        .map((part) => part.replace('x', '+0x'))
        .join(' ');
    const tests = [
      {
        interval: '1m',
        input_series: [
          { series: `kube_deployment_spec_replicas{namespace="${zone}"}`, values: expand(replicas) },
          { series: `kube_deployment_status_replicas_available{namespace="${zone}"}`, values: expand(available) },
          { series: 'kube_deployment_spec_replicas{namespace="other"}', values: '1+0x30' },
        ],
        alert_rule_test: [
          { eval_time: '4m', alertname: 'ServiceZoneDown', exp_alerts: [] },
          { eval_time: '14m', alertname: 'ServiceZoneDown', exp_alerts: isDown ? [{ exp_labels: labels }] : [] },
        ],
      },
    ];
    const tested = await runPromtool('test', { groups: bare, test: { evaluation_interval: '1m', tests } });
    expect(tested.ok, tested.output).toBe(true);
  });

  it('the zone-down alert of a zone in a workload cluster, whose Deployments another Prometheus sees', async () => {
    const product = buildSloProduct([buildSlo()]);
    product.spec.delivery.zones = [{ name: zone, cluster: 'eu' }];
    const tests = [
      {
        interval: '1m',
        input_series: [{ series: 'kube_deployment_spec_replicas{namespace="other"}', values: '1+0x30' }],
        alert_rule_test: [{ eval_time: '14m', alertname: 'ServiceZoneDown', exp_alerts: [] }],
      },
    ];
    const groups = toRuleGroups(product, defaultRetentionMs);
    const tested = await runPromtool('test', { groups, test: { evaluation_interval: '1m', tests } });
    expect(tested.ok, tested.output).toBe(true);
  });

  it('alerts neither without traffic nor without metrics', async () => {
    const groups = toRuleGroups(buildSloProduct([buildSlo(), buildLatencySlo()]), defaultRetentionMs);
    const none = (alertname: string) => ({ eval_time: '70m', alertname, exp_alerts: [] });
    const tests = [
      {
        interval: '1m',
        input_series: [
          { series: http(', code="200"'), values: '5+0x120' },
          // The threshold is no bucket of this histogram.
          { series: `${histogram}_count{namespace="${zone}"}`, values: '0+100x120' },
          { series: `${histogram}_bucket{namespace="${zone}", le="0.5"}`, values: '0+1x120' },
        ],
        alert_rule_test: [none('ServiceFastBurn'), none('ServiceSlowBurn'), none('ServiceZoneDown')],
      },
    ];
    const tested = await runPromtool('test', { groups, test: { evaluation_interval: '1m', tests } });
    expect(tested.ok, tested.output).toBe(true);
  });
});
