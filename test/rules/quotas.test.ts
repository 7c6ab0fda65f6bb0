import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { assertWithinQuota, quotaViolation } from '../../src/rules/quotas.ts';

const quotas = { ...loadConfig({}).quotas, productsPerOrg: 2 };

it('allows as many as the quota, and names the limit and its setting for one more', () => {
  expect(quotaViolation(quotas, 'productsPerOrg', 2)).toBeUndefined();
  expect(quotaViolation(quotas, 'productsPerOrg', 3)).toBe(
    'the org has reached the limit of 2 Products (QUOTA_PRODUCTS_PER_ORG)',
  );
});

it('throws only when the quota is exceeded', () => {
  expect(() => assertWithinQuota(quotas, 'productsPerOrg', 2)).not.toThrow();
  expect(() => assertWithinQuota(quotas, 'productsPerOrg', 3)).toThrow(/2 Products \(QUOTA_PRODUCTS_PER_ORG\)/);
});
