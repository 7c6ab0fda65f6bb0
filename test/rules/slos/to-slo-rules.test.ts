import { expect, it } from 'vitest';
import { toBudgetShare, toSloRules, toZoneDownRule } from '../../../src/rules/slos/to-slo-rules.ts';
import { buildLatencySlo, buildSlo } from './build-slo.ts';

const target = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const listNames = (objective: string, window = '7d'): string[] => {
  const { burn, window: long } = toSloRules(target, buildSlo({ objective }), window);
  return [...burn, ...long].map((rule) => ('alert' in rule ? rule.alert : rule.record));
};

it('records the ratios of four ranges and of the window, and alerts on two', () =>
  expect(listNames('99.9', '100h')).toEqual([
    'service:slo_errors:ratio_5m',
    'service:slo_errors:ratio_30m',
    'service:slo_errors:ratio_1h',
    'service:slo_errors:ratio_6h',
    'ServiceFastBurn',
    'ServiceSlowBurn',
    'service:slo_requests:increase_5m',
    'service:slo_errors:increase_5m',
    'service:slo_errors:ratio_100h',
  ]));

it('records no series twice when the window is one of the ranges', () => {
  const names = listNames('99.9', '6h');
  expect(new Set(names).size).toBe(names.length);
});

it('has no alert that could never fire', () => {
  expect(listNames('93')).not.toContain('ServiceFastBurn');
  expect(listNames('93')).toContain('ServiceSlowBurn');
  expect(listNames('83')).not.toContain('ServiceSlowBurn');
});

it('keeps values out of the labels, and routes alerts by the namespace of the org', () => {
  const { burn } = toSloRules(target, buildSlo(), '7d');
  const alert = burn.find((rule) => 'alert' in rule && rule.alert === 'ServiceFastBurn');
  expect(alert?.labels).toEqual({ ...target, slo: 'answered', namespace: 'org-acme', severity: 'critical' });
  expect(toZoneDownRule(target).labels).toEqual({ ...target, namespace: 'org-acme', severity: 'critical' });
});

it('explains the alert in words', () => {
  const { burn } = toSloRules(target, buildLatencySlo({ objective: '99.9' }), '7d');
  const alert = burn.find((rule) => 'alert' in rule && rule.alert === 'ServiceFastBurn');
  expect(alert?.annotations?.['description']).toBe(
    '{{ $value | humanizePercentage }} of the requests to shop-prod took longer than 1 s in the last 1h, and more than 1.44 % in the last 5m. The objective of 99.9 % allows 0.1 % in 7 days; the alert fires above 14.4 times that. At the threshold, 1 hour spends 8.6 % of the budget. It clears when the last 5m are below 1.44 %.',
  );
});

it.each([
  ['fast', '7d', 0.0857],
  ['slow', '7d', 0.2143],
  ['fast', '14d', 0.0429],
  ['slow', '14d', 0.1071],
] as const)('the %s alert spends, of the budget of %s, a share of %d', (alert, window, share) =>
  expect(toBudgetShare(alert, window)).toBeCloseTo(share, 4),
);
