import { expect, it } from 'vitest';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { findSloZones, sloRulesName, toRuleGroups } from '../../../src/rules/slos/to-prometheus-rule.ts';
import { buildLatencySlo, buildSlo } from './build-slo.ts';
import { buildSloProduct } from './build-slo-product.ts';

it('names the object for its Product', () => expect(sloRulesName('shop')).toBe('service-slo-shop'));

it('measures the release zones unless the SLO names others, and no zone that is gone', () => {
  const { spec } = buildSloProduct([]);
  expect(findSloZones(buildSlo(), spec)).toEqual(['shop-prod']);
  expect(findSloZones(buildSlo({ zones: ['shop-rc', 'gone'] }), spec)).toEqual(['shop-rc']);
});

it('has two groups per zone, and one zone-down alert for all SLOs of a zone that was deployed', () => {
  const product = buildSloProduct([buildSlo(), buildLatencySlo({ zones: ['shop-rc', 'shop-prod'] })]);
  const groups = toRuleGroups(product, defaultRetentionMs);
  expect(groups.map(({ name, interval }) => `${name} ${interval}`)).toEqual([
    'shop/shop-prod/burn 30s',
    'shop/shop-prod/window 5m',
    'shop/shop-rc/burn 30s',
    'shop/shop-rc/window 5m',
  ]);
  const down = groups.map(
    ({ rules }) => rules.filter((rule) => 'alert' in rule && rule.alert === 'ServiceZoneDown').length,
  );
  expect(down).toEqual([1, 0, 0, 0]);
});

it('has no rules without SLOs', () => expect(toRuleGroups(buildSloProduct([]), defaultRetentionMs)).toEqual([]));

it('has the same rules for the same Product', () => {
  const product = buildSloProduct([buildSlo(), buildLatencySlo()]);
  expect(toRuleGroups(structuredClone(product), defaultRetentionMs)).toEqual(toRuleGroups(product, defaultRetentionMs));
});
