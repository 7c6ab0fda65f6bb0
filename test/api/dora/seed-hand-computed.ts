import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Resource, ResourceKind } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import * as data from '../../rules/dora/hand-computed.ts';

const namespace = 'org-acme';

/** Writes the hand-computed data and its Product `shop` to a store. */
export async function seedHandComputed(store: Store): Promise<void> {
  await createProduct(store, 'shop');
  for (const one of data.promotions) await createResource(store, PromotionKind, one);
  for (const one of data.releases) await createResource(store, ReleaseKind, one);
  for (const one of data.runs) await createResource(store, AgentWorkflowRunKind, one);
  for (const one of data.incidents) await createResource(store, IncidentKind, one);
}

export async function createProduct(store: Store, name: string): Promise<void> {
  const zones = ['rc', 'prod'].map((zone) => ({ name: zone }));
  const spec = ProductKind.specSchema.parse({ repos: ['acme/shop'], delivery: { zones } });
  await store.create(ProductKind, { metadata: { namespace, name }, spec });
}

export async function createResource<Spec, Status>(
  store: Store,
  kind: ResourceKind<Spec, Status>,
  { name, spec, status }: { name: string; spec: Spec; status: Status },
): Promise<Resource<Spec, Status>> {
  const metadata = { namespace, name };
  await store.create(kind, { metadata, spec });
  return await store.updateStatus(kind, metadata, () => status);
}
