import { isDeleting } from '../resource.ts';
import type { Product } from './kinds.ts';

/** True once the deletion was requested through the API, which records a message first, or with kubectl. */
export const isProductDeleting = (product: Product): boolean =>
  product.status?.deletionMessage !== undefined || isDeleting(product);
