import { isProductDeleting } from '../products/is-product-deleting.ts';
import type { Product } from '../products/kinds.ts';

/** True when anyone may read the status page of the Product. */
export const isPublished = (product: Product): boolean =>
  product.spec.statusPage?.public === true && !isProductDeleting(product);
