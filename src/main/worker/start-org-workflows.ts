import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { ProductKind } from '../../rules/products/kinds.ts';
import { wakeSloLoops } from '../../reconcile/wake-slo-loops.ts';
import { startMissingScaffold } from '../../reconcile/start-scaffold.ts';
import { systemNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';
import { keepRepositoryAccessStart } from '../../../workflows/environments/messages.ts';
import { reconcileDeliveriesStart } from '../../../workflows/intake/messages.ts';
import { findCodehostCredentials } from '../wiring/find-codehost-credentials.ts';

/**
 * Starts the workflows that every connected org has, those that create repos and those of SLOs, in case an earlier start
 * was lost.
 */
export async function startOrgWorkflows(store: Store, temporal: Client): Promise<void> {
  const findCredentials = findCodehostCredentials(store);
  const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
  for (const { metadata } of items) {
    const org = metadata.name;
    if (!(await findCredentials(org))) continue;
    for (const { type, options } of [reconcileDeliveriesStart({ org }), keepRepositoryAccessStart({ org })])
      await temporal.workflow.start<Workflow>(type, options);
  }
  const products = await store.list(ProductKind);
  for (const product of products.items) await startMissingScaffold({ temporal }, product);
  const measured = products.items.filter(
    ({ spec, status }) => (spec.slos ?? []).length > 0 || status?.observability !== undefined,
  );
  // Each loop is that of an org, so one of its Products wakes it.
  const byOrg = new Map(measured.map((product) => [product.metadata.namespace, product]));
  for (const product of byOrg.values()) await wakeSloLoops({ temporal }, product);
}
