import { expect, it } from 'vitest';
import type { Product } from '../../../src/rules/products/kinds.ts';
import { scaffoldRetryViolation } from '../../../src/rules/products/scaffold-retry-violation.ts';
import type { ProductScaffold } from '../../../src/rules/products/source.ts';

const build = (phase?: ProductScaffold['phase']): Product =>
  ({ spec: { source: { repo: 'acme/fresh' } }, status: phase && { scaffold: { phase } } }) as unknown as Product;

it('allows a retry after a failure, and when it never started', () => {
  expect(scaffoldRetryViolation(build('Failed'))).toBeUndefined();
  expect(scaffoldRetryViolation(build())).toBeUndefined();
});

it.each([
  [build('Committing'), 'is being created'],
  [build('Succeeded'), 'was created'],
  [{ spec: {} } as Product, 'has no source'],
])('says why nothing can be retried', (product, message) => {
  expect(scaffoldRetryViolation(product)).toContain(message);
});
