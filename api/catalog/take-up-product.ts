import { isDeepStrictEqual } from 'node:util';
import { ServiceError, isServiceError } from '../../src/errors.ts';
import { ProductKind, ProductSpec, type Product } from '../../src/rules/catalog/kinds.ts';
import { orgOf } from '../../src/rules/resource.ts';
import { environmentsFinalizer, isTakenUp, takenUpAnnotation } from '../../src/rules/taken-up.ts';
import type { ApiDeps } from '../deps.ts';
import { applyChangedSettings } from '../environments/apply-changed-settings.ts';
import { isGoing, noteFinding, refusalIn } from '../note-finding.ts';
import { checkName, parseSpec } from '../parse-spec.ts';
import { checkProduct } from './check-product.ts';
import { claimProduct, releaseAllBut } from './claim-names.ts';
import { getOrganization } from './org.ts';
import { startProductDeletion } from './start-product-deletion.ts';
import { usualDelivery } from './usual-delivery.ts';

/**
 * Takes up a Product that somebody wrote into the store without the API: what the API fills in, checks, claims and
 * begins. Any number of replicas may do it at once, and each time it is seen.
 */
export async function takeUpProduct(deps: ApiDeps, product: Product): Promise<void> {
  const { name, namespace } = product.metadata;
  const org = orgOf(namespace);
  if (isGoing(product)) return await startProductDeletion(deps, { org, product: name, by: 'kubectl' });
  if (isTakenUp(product)) return;
  let spec: ProductSpec;
  try {
    spec = await checked(deps, { org, name, product });
    await claimProduct(deps, { org, product: name }, spec);
  } catch (error) {
    return await noteFinding(deps, ProductKind, product, refusalIn(error));
  }
  const taken = await write(deps, product, spec);
  if (!taken) return;
  await releaseAllBut(deps, { org, product: name }, spec);
  await applyChangedSettings(deps, { org, product: taken });
  await noteFinding(deps, ProductKind, taken);
}

async function checked(
  deps: ApiDeps,
  { org, name, product }: { org: string; name: string; product: Product },
): Promise<ProductSpec> {
  await getOrganization(deps.store, org);
  checkName(ProductKind, name);
  const given = parseSpec(ProductKind, ProductSpec, product);
  const spec = given.delivery.zones.length > 0 ? given : { ...given, delivery: usualDelivery(name) };
  await checkProduct(deps, { org, name, spec });
  const named = new Set(spec.delivery.zones.map((zone) => zone.name));
  const running = product.status?.zones?.find((zone) => zone.release !== undefined && !named.has(zone.name));
  if (running)
    throw new ServiceError(
      'conflict',
      `The zone "${running.name}" runs a Release: put it back on the list, and remove it with DELETE /v1/orgs/${org}/products/${name}/zones/${running.name}.`,
    );
  return spec;
}

/** With the generation that it has then; undefined when somebody has changed it meanwhile, which is seen as well. */
async function write({ store }: ApiDeps, product: Product, spec: ProductSpec): Promise<Product | undefined> {
  const { metadata } = product;
  const generation = isDeepStrictEqual(spec, product.spec) ? metadata.generation : metadata.generation + 1;
  const annotations = { ...metadata.annotations, [takenUpAnnotation]: String(generation) };
  const finalizers = [...new Set([...(metadata.finalizers ?? []), environmentsFinalizer])];
  try {
    return await store.replace(ProductKind, { ...product, spec, metadata: { ...metadata, annotations, finalizers } });
  } catch (error) {
    if (isServiceError(error, 'conflict') || isServiceError(error, 'not-found')) return undefined;
    throw error;
  }
}
