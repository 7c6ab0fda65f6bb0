import { setTimeout as delay } from 'node:timers/promises';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { buildStatusPage, type StatusPage } from '../../src/rules/status-page/build-status-page.ts';
import { isPublished } from '../../src/rules/status-page/is-published.ts';
import { toObjectiveStates } from '../../src/rules/status-page/to-objective-states.ts';
import type { ApiDeps } from '../deps.ts';
import { productRef } from '../products/product.ts';
import { createMeasurements, type Measurements } from '../slos/measurements.ts';

export type ProductName = { org: string; product: string };
export type ReadStatusPage = { isPublic: boolean; page: StatusPage };

/** A page without figures is better than a late one; this is less than readers wait for a store. */
const monitoringWaitMs = 700;

/** Returns the reader of status pages; it finds undefined for a Product that does not exist or is being deleted. */
export function createStatusPageReader({
  store,
  monitoring,
  config,
  now,
}: Pick<ApiDeps, 'store' | 'monitoring' | 'config' | 'now'>): (
  name: ProductName,
) => Promise<ReadStatusPage | undefined> {
  const readMeasurements = createMeasurements(monitoring);
  return async (name) => {
    const at = now();
    // A cached read would also succeed while the store is unavailable, and the page would claim to be current.
    const product = await store.find(ProductKind, productRef(name.org, name.product));
    if (!product || isProductDeleting(product)) return undefined;
    const measured = product.spec.slos?.length ? soon(readMeasurements(name)) : undefined;
    const selection = { namespace: orgNamespace(name.org), fields: { 'spec.product': name.product } };
    const [incidents, measurements] = await Promise.all([store.list(IncidentKind, selection), measured]);
    const samples = measurements && 'samples' in measurements ? measurements.samples : undefined;
    const objectives = toObjectiveStates(product.spec, { samples, retentionMs: config.metricsRetentionMs });
    const page = buildStatusPage({ product, incidents: incidents.items, objectives, now: at });
    return { isPublic: isPublished(product), page };
  };
}

/** Returns undefined when the measurements fail or take too long. */
async function soon(measurements: Promise<Measurements>): Promise<Measurements | undefined> {
  const answered = new AbortController();
  try {
    return await Promise.race([measurements, delay(monitoringWaitMs, undefined, { signal: answered.signal })]);
  } catch {
    return undefined;
  } finally {
    answered.abort();
  }
}
