import { expect, it } from 'vitest';
import { isProductDeleting } from '../../../src/rules/products/is-product-deleting.ts';
import type { Product } from '../../../src/rules/products/kinds.ts';

it.each([
  ['exists', {}, {}, false],
  ['was deleted through the API', {}, { deletionMessage: 'its zones are being removed' }, true],
  ['was deleted with kubectl', { deletionTimestamp: '2026-01-01T00:00:00Z' }, {}, true],
])('a Product that %s', (_, metadata, status, expected) => {
  expect(isProductDeleting({ metadata, status } as unknown as Product)).toBe(expected);
});
