import { expect, it } from 'vitest';
import { assertProductActive } from '../../../src/rules/products/assert-product-active.ts';
import type { Product } from '../../../src/rules/products/kinds.ts';

it('refuses new work on a Product that is being deleted', () => {
  const product = { metadata: { name: 'shop' } } as Product;
  assertProductActive(product);
  expect(() => assertProductActive({ ...product, status: { deletionMessage: 'its zones are being removed' } })).toThrow(
    expect.objectContaining({ reason: 'product-deleting', message: 'The Product "shop" is being deleted.' }),
  );
});
