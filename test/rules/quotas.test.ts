import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { assertWithinQuota, describeReachedQuota } from '../../src/rules/quotas.ts';

const quotas = { ...loadConfig({}).quotas, productsPerOrg: 2 };

it('names the limit that is reached and its setting', () => {
  expect(describeReachedQuota(quotas, 'productsPerOrg')).toBe(
    'the org has reached the limit of 2 Products (QUOTA_PRODUCTS_PER_ORG)',
  );
});

it('throws only when the quota is exceeded', () => {
  expect(() => assertWithinQuota(quotas, 'productsPerOrg', 2)).not.toThrow();
  expect(() => assertWithinQuota(quotas, 'productsPerOrg', 3)).toThrow(/2 Products \(QUOTA_PRODUCTS_PER_ORG\)/);
});
