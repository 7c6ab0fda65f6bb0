import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { zonesPerProductMax } from '../../../src/rules/products/kinds.ts';
import { slosPerProductMax } from '../../../src/rules/slos/kinds.ts';
import { findSloZones, sloRulesName, toRuleGroups, toRuleObjects } from '../../../src/rules/slos/to-prometheus-rule.ts';
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
  const empty = { ...product, status: { zones: [{ name: 'shop-prod' }, { name: 'shop-rc', release: 'shop-v1.0.0' }] } };
  const rules = toRuleGroups(empty, defaultRetentionMs).flatMap((group) => group.rules);
  expect(rules.filter((rule) => 'alert' in rule && rule.alert === 'ServiceZoneDown')).toHaveLength(1);
});

it('takes a zone of a workload cluster for down only when Prometheus sees its pods', () => {
  const product = buildSloProduct([buildSlo()]);
  const findDown = (zone: object) => {
    product.spec.delivery.zones = [{ name: 'shop-prod', ...zone }];
    const rules = toRuleGroups(product, defaultRetentionMs).flatMap((group) => group.rules);
    return rules.find((rule) => 'alert' in rule && rule.alert === 'ServiceZoneDown')?.expr;
  };
  expect(findDown({})).toContain('absent(kube_deployment_spec_replicas{namespace="shop-prod"})');
  const elsewhere = findDown({ cluster: 'eu' });
  expect(elsewhere).not.toContain('absent');
  expect(elsewhere).toContain('kube_deployment_status_replicas_available{namespace="shop-prod"}) == 0');
});

it('has no rules without SLOs', () => expect(toRuleGroups(buildSloProduct([]), defaultRetentionMs)).toEqual([]));

it('has the same rules for the same Product', () => {
  const product = buildSloProduct([buildSlo(), buildLatencySlo()]);
  expect(toRuleGroups(structuredClone(product), defaultRetentionMs)).toEqual(toRuleGroups(product, defaultRetentionMs));
});

it('has one object per Product', () => {
  const product = buildSloProduct([buildSlo()]);
  const groups = toRuleGroups(product, defaultRetentionMs);
  expect(toRuleObjects(product, defaultRetentionMs)).toEqual([{ name: 'service-slo-shop', spec: { groups } }]);
  expect(toRuleObjects(buildSloProduct([]), defaultRetentionMs)).toEqual([]);
});

it('splits rules that are too large for the operator', () => {
  const zones = Array.from({ length: zonesPerProductMax }, (_, index) => `shop-${index}`);
  const slos = Array.from({ length: slosPerProductMax }, (_, index) =>
    buildLatencySlo({ name: `slo-${index}`, zones }),
  );
  const product = buildSloProduct(slos);
  product.spec.delivery.zones = zones.map((name) => ({ name }));
  const objects = toRuleObjects(product, defaultRetentionMs);
  expect(objects.map(({ name }) => name)).toEqual([
    'service-slo-shop',
    ...[2, 3, 4].map((part) => `service-slo-shop.${part}`),
  ]);
  expect(objects.flatMap(({ spec }) => spec.groups)).toEqual(toRuleGroups(product, defaultRetentionMs));
  for (const { spec } of objects) expect(stringify(spec).length).toBeLessThan(512 * 1_024);
});
