import { invalid, notFound, ServiceError } from '../../src/errors.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { assertProductActive } from '../../src/rules/products/assert-product-active.ts';
import { ProductKind, type Product, type ZoneStatus } from '../../src/rules/products/kinds.ts';
import { missingRepoViolation } from '../../src/rules/products/missing-repo-violation.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const productRef = (org: string, product: string) => ({ namespace: orgNamespace(org), name: product });

export const getProductByName = async (
  store: Store,
  { org, product }: { org: string; product: string },
): Promise<Product> => store.get(ProductKind, productRef(org, product));

/** Returns the status of a zone, if it has one already; throws if the Product has no such zone. */
export function getZoneStatus({ metadata, spec, status }: Product, zone: string): ZoneStatus | undefined {
  const found = status?.zones?.find(({ name }) => name === zone);
  if (!found && !spec.delivery.zones.some(({ name }) => name === zone))
    throw notFound('zone', zone, `Product "${metadata.name}"`);
  return found;
}

/** Returns a Product that new work may start on; throws while the Product is being deleted. */
export async function getActiveProduct(store: Store, ref: { org: string; product: string }): Promise<Product> {
  const product = await getProductByName(store, ref);
  assertProductActive(product);
  return product;
}

/** Returns a Product whose names are its own: one that was rejected may name the repo or the address of another. */
export async function getAcceptedProduct(store: Store, ref: { org: string; product: string }): Promise<Product> {
  const product = await getActiveProduct(store, ref);
  if (isRejected(product))
    throw invalid(`The Product "${ref.product}" is not valid. Fix what its condition \`Accepted\` names.`);
  return product;
}

/** Returns a Product whose repos people and agents can work on. */
export async function getProductWithRepo(store: Store, ref: { org: string; product: string }): Promise<Product> {
  const product = await getAcceptedProduct(store, ref);
  const violation = missingRepoViolation(product);
  if (violation !== undefined) throw new ServiceError('repo-not-created', violation);
  return product;
}
