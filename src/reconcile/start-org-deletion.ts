import type { Workflow } from '@temporalio/common';
import { deleteOrgStart, type DeleteOrgInput } from '../../workflows/orgs/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { type Organization, orgFinalizer, OrganizationKind } from '../rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import type { Ref, Store } from '../store/store.ts';
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
  const by = await markDeleting(store, { ...input, uid });
  if (by === undefined) return;
  const { type, options } = deleteOrgStart({ ...input, by });
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}

/** Returns the person whose deletion marked the org first, or undefined for another org of the same name. */
async function markDeleting(
  store: Store,
  { org, by, uid }: DeleteOrgInput & { uid: string | undefined },
): Promise<string | undefined> {
  const ref = { namespace: systemNamespace, name: org };
  const isOther = ({ metadata }: Organization): boolean => uid !== undefined && metadata.uid !== uid;
  // The person comes first: after the mark, a process that ends leaves the deletion to one that does not know them.
  await store.updateStatus(OrganizationKind, ref, (current) =>
    isOther(current) || isDeleting(current) ? undefined : { ...current.status, deletedBy: by },
  );
  const marked = await deleteWithFinalizer(store, ref, isOther);
  if (!marked) return undefined;
  const deletedBy = marked.status?.deletedBy ?? by;
  const deletionMessage = `The deletion was requested by ${deletedBy}.`;
  await store.updateStatus(OrganizationKind, ref, (current) =>
    isOther(current) || current.status?.deletionMessage !== undefined
      ? undefined
      : { ...current.status, deletedBy, deletionMessage },
  );
  return deletedBy;
}

/** Returns the org that is being deleted, or undefined for another one. */
async function deleteWithFinalizer(
  store: Store,
  ref: Ref,
  isOther: (organization: Organization) => boolean,
): Promise<Organization | undefined> {
  for (;;) {
    const current = await store.get(OrganizationKind, ref);
    if (isOther(current)) return undefined;
    if (isDeleting(current)) return current;
    const { metadata } = current;
    try {
      // The finalizer comes first, because without one the Organization would be deleted before what belongs to the org.
      if (metadata.finalizers?.includes(orgFinalizer)) {
        await store.delete(OrganizationKind, ref, { resourceVersion: metadata.resourceVersion });
        return current;
      }
      const finalizers = [...(metadata.finalizers ?? []), orgFinalizer];
      await store.replace(OrganizationKind, { ...current, metadata: { ...metadata, finalizers } });
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}
