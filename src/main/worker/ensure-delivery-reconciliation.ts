import type { Client } from '@temporalio/client';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { systemNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';
import { reconcileDeliveriesStart } from '../../../workflows/intake/messages.ts';
import { findCodehostCredentials } from '../wiring/find-codehost-credentials.ts';

/** Starts the reconciliation workflow of every connected org, in case an earlier start was lost. */
export async function ensureDeliveryReconciliation(store: Store, temporal: Client): Promise<void> {
  const findCredentials = findCodehostCredentials(store);
  const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
  for (const { metadata } of items) {
    const org = metadata.name;
    if (!(await findCredentials(org))) continue;
    const { type, options } = reconcileDeliveriesStart({ org });
    await temporal.workflow.start(type, options);
  }
}
