import { ProductKind, type Product } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const productRef = (org: string, product: string) => ({ namespace: orgNamespace(org), name: product });

export const getProductOf = async (store: Store, { org, product }: { org: string; product: string }): Promise<Product> =>
  await store.get(ProductKind, productRef(org, product));
