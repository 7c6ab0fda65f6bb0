import type { Workflow } from '@temporalio/common';
import { deleteOrgStart, type DeleteOrgInput } from '../../workflows/orgs/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { type Organization, orgFinalizer, OrganizationKind } from '../rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

/**
 * Marks an org as being deleted and starts the deletion; has no effect when it is already running. The mark is the
 * authorization: the workflow deletes no org without it, even if another Temporal client starts the workflow. With a uid,
 * an org of the same name that was created since is left alone.
 */
export async function startOrgDeletion(
  { store, temporal }: Pick<ReconcileDeps, 'store' | 'temporal'>,
  { uid, ...input }: DeleteOrgInput & { uid?: string },
): Promise<void> {
  if (!(await markDeleting(store, { ...input, uid }))) return;
  const { type, options } = deleteOrgStart(input);
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}

/** Returns false for another org of the same name. */
async function markDeleting(
  store: Store,
  { org, by, uid }: DeleteOrgInput & { uid: string | undefined },
): Promise<boolean> {
  const ref = { namespace: systemNamespace, name: org };
  const isOther = ({ metadata }: Organization): boolean => uid !== undefined && metadata.uid !== uid;
  await store.updateStatus(OrganizationKind, ref, (current) =>
    isOther(current)
      ? undefined
      : {
          ...current.status,
          deletionMessage: current.status?.deletionMessage ?? `The deletion was requested by ${by}.`,
        },
  );
  for (;;) {
    const current = await store.get(OrganizationKind, ref);
    if (isOther(current)) return false;
    if (isDeleting(current)) return true;
    const { metadata } = current;
    try {
      // The finalizer comes first, because without one the Organization would be deleted before what belongs to the org.
      if (metadata.finalizers?.includes(orgFinalizer)) {
        await store.delete(OrganizationKind, ref, { resourceVersion: metadata.resourceVersion });
        return true;
      }
      const finalizers = [...(metadata.finalizers ?? []), orgFinalizer];
      await store.replace(OrganizationKind, { ...current, metadata: { ...metadata, finalizers } });
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}
