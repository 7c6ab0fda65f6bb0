import type { Workflow } from '@temporalio/common';
import { deleteOrgStart, type DeleteOrgInput } from '../../workflows/orgs/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { orgFinalizer, OrganizationKind } from '../rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

/**
 * Marks an org as being deleted and starts the deletion; has no effect when it is already running. The mark is the
 * authorization: the workflow deletes no org without it, even if another Temporal client starts the workflow.
 */
export async function startOrgDeletion(
  { store, temporal }: Pick<ReconcileDeps, 'store' | 'temporal'>,
  input: DeleteOrgInput,
): Promise<void> {
  await markDeleting(store, input);
  const { type, options } = deleteOrgStart(input);
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}

async function markDeleting(store: Store, { org, by }: DeleteOrgInput): Promise<void> {
  const ref = { namespace: systemNamespace, name: org };
  await store.updateStatus(OrganizationKind, ref, ({ status }) => ({
    ...status,
    deletionMessage: status?.deletionMessage ?? `The deletion was requested by ${by}.`,
  }));
  for (;;) {
    const current = await store.get(OrganizationKind, ref);
    if (isDeleting(current)) return;
    const { metadata } = current;
    try {
      // The finalizer comes first, because without one the Organization would be deleted before what belongs to the org.
      if (metadata.finalizers?.includes(orgFinalizer)) return await store.delete(OrganizationKind, ref);
      const finalizers = [...(metadata.finalizers ?? []), orgFinalizer];
      await store.replace(OrganizationKind, { ...current, metadata: { ...metadata, finalizers } });
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}
