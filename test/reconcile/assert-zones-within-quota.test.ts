import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { isServiceError } from '../../src/errors.ts';
import { assertZonesWithinQuota } from '../../src/reconcile/assert-zones-within-quota.ts';
import type { Product, ProductSpec } from '../../src/rules/products/kinds.ts';

const toSpec = (count: number): ProductSpec => ({
  repos: [],
  delivery: {
    zones: Array.from({ length: count }, (_, index) => ({ name: `z${index}`, promotionPolicy: 'automatic' })),
  },
});
const toProduct = (count: number): Product => ({ spec: toSpec(count) }) as Product;

it.each([
  ['a new Product fits', 1, undefined, [2], true],
  ['a new Product does not fit', 1, undefined, [2, 1], false],
  ['a Product grows within the quota', 3, 2, [], true],
  ['a Product grows too much', 3, 2, [1], false],
  ['a Product of an org above a lowered quota stays as it is', 2, 2, [5], true],
  ['a Product of an org above a lowered quota shrinks', 1, 2, [5], true],
])('with a quota of 3 zones, %s', (_, own, before, others, isAllowed) => {
  const quotas = { ...loadConfig({}).quotas, zonesPerOrg: 3 };
  const check = () =>
    assertZonesWithinQuota(quotas, {
      spec: toSpec(own),
      before: before === undefined ? undefined : toSpec(before),
      others: others.map(toProduct),
    });
  const isRefused = ((): boolean => {
    try {
      check();
      return false;
    } catch (error) {
      return isServiceError(error, 'too-many-requests');
    }
  })();
  expect(!isRefused).toBe(isAllowed);
});
