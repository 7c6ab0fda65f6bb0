import type { Client } from '@temporalio/client';
import { OrganizationKind } from '../rules/catalog/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { codehostCredentials } from './codehost-credentials.ts';

/** Every connected org has its loop, those that were connected before there was one or while its start was lost too. */
export async function ensureReconciliation(store: Store, temporal: Client): Promise<void> {
  const credentialsOf = codehostCredentials(store);
  const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
  for (const { metadata } of items) {
    const org = metadata.name;
    if (!(await credentialsOf(org))) continue;
    await temporal.workflow.start('reconcileDeliveries', {
      ...reconcileDeliveriesStart({ org }),
      taskQueue: defaultTaskQueue,
      typedSearchAttributes: searchAttributes({ org, targetKind: 'delivery' }),
    });
  }
}
