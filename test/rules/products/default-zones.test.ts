import { expect, it } from 'vitest';
import {
  defaultZone,
  defaultZones,
  findMissingZoneName,
  getPromotionPolicy,
  withPromotionPolicies,
} from '../../../src/rules/products/default-zones.ts';

it('makes the same production zone with the Product and later', () => {
  const [, production] = defaultZones('shop').zones;
  expect(production).toEqual({ name: 'shop-prod', promotionPolicy: 'after-approval', access: 'signed-in' });
  expect(defaultZone('shop', 'shop-prod')).toEqual(production);
});

it.each([
  [[], 'shop-rc'],
  [['shop-rc'], 'shop-prod'],
  [['shop-prod'], 'shop-rc'],
  [['shop-test', 'shop-prod'], 'shop-rc'],
  [['shop-rc', 'shop-prod'], undefined],
])('finds the zone of the pair that is missing from %j', (names, missing) => {
  expect(
    findMissingZoneName(
      'shop',
      names.map((name) => ({ name })),
    ),
  ).toBe(missing);
});

it('requires an approval for production unless the spec says otherwise', () => {
  expect(getPromotionPolicy('shop', { name: 'shop-prod' })).toBe('after-approval');
  expect(getPromotionPolicy('shop', { name: 'shop-prod', promotionPolicy: 'automatic' })).toBe('automatic');
  expect(getPromotionPolicy('shop', { name: 'other-prod' })).toBe('automatic');
  const spec = { repos: [], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] } };
  expect(withPromotionPolicies('shop', spec).delivery.zones.map(({ promotionPolicy }) => promotionPolicy)).toEqual([
    'automatic',
    'after-approval',
  ]);
});

it('keeps the release zones of the spec', () => {
  const spec = { repos: [], delivery: { zones: [{ name: 'shop-rc' }], releaseZones: ['shop-rc'] } };
  expect(withPromotionPolicies('shop', spec).delivery.releaseZones).toEqual(['shop-rc']);
});
