import { setTimeout as delay } from 'node:timers/promises';
import type { Sample } from '../../src/integrations/telemetry/monitoring.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { findReleaseZones } from '../../src/rules/products/find-release-zones.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { buildStatusPage, type StatusPage } from '../../src/rules/status-page/build-status-page.ts';
import { isPublished } from '../../src/rules/status-page/is-published.ts';
import { toObjectivesQuery, toObjectiveStates } from '../../src/rules/status-page/to-objective-states.ts';
import type { ApiDeps } from '../deps.ts';
import { productRef } from '../products/product.ts';

export type ProductName = { org: string; product: string };
export type ReadStatusPage = { isPublic: boolean; page: StatusPage };

/** A page without figures is better than a late one; this is less than readers wait for a store. */
const monitoringWaitMs = 700;

/** Reads the status page of a Product; undefined for one that does not exist or is being deleted. */
export async function readStatusPage(
  { store, monitoring, now }: Pick<ApiDeps, 'store' | 'monitoring' | 'now'>,
  name: ProductName,
): Promise<ReadStatusPage | undefined> {
  const at = now();
  // A cached read would also succeed while the store is away, and the page would claim to be current.
  const product = await store.find(ProductKind, productRef(name.org, name.product));
  if (!product || isProductDeleting(product)) return undefined;
  const [incidents, samples] = await Promise.all([
    store.list(IncidentKind, { namespace: orgNamespace(name.org), fields: { 'spec.product': name.product } }),
    querySamples(monitoring, { name, product }),
  ]);
  const objectives = toObjectiveStates(product.spec.slos ?? [], { zones: findReleaseZones(product.spec), samples });
  const page = buildStatusPage({ product, incidents: incidents.items, objectives, now: at });
  return { isPublic: isPublished(product), page };
}

async function querySamples(
  monitoring: ApiDeps['monitoring'],
  { name, product }: { name: ProductName; product: Product },
): Promise<Sample[] | undefined> {
  if (!product.spec.slos?.length) return undefined;
  const answered = new AbortController();
  try {
    return await Promise.race([
      monitoring.queryInstant(toObjectivesQuery(name)),
      delay(monitoringWaitMs, undefined, { signal: answered.signal }),
    ]);
  } catch {
    return undefined;
  } finally {
    answered.abort();
  }
}
