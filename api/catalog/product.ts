import { ServiceError } from '../../src/errors.ts';
import { ProductKind, type Product } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const productRef = (org: string, product: string) => ({ namespace: orgNamespace(org), name: product });

export const getProductOf = async (
  store: Store,
  { org, product }: { org: string; product: string },
): Promise<Product> => store.get(ProductKind, productRef(org, product));

/** For whatever begins something: nothing begins on a Product that is going. */
export async function getLivingProduct(store: Store, ref: { org: string; product: string }): Promise<Product> {
  const product = await getProductOf(store, ref);
  if (product.status?.deletion !== undefined || product.metadata.deletionTimestamp !== undefined)
    throw new ServiceError('conflict', `The Product "${ref.product}" is being deleted.`);
  return product;
}
