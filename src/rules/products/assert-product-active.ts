import { ServiceError } from '../../errors.ts';
import { isProductDeleting } from './is-product-deleting.ts';
import type { Product } from './kinds.ts';

/** Throws while the Product is being deleted, which must not meet new work. */
export function assertProductActive(product: Product): void {
  if (!isProductDeleting(product)) return;
  throw new ServiceError('product-deleting', `The Product "${product.metadata.name}" is being deleted.`);
}
