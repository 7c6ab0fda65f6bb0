import { ignoreNotFound } from '../../src/errors.ts';
import { type Organization, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** The uid is that of the deleted Organization, because a later org of the same name must keep what it has. */
export type OrgDeletionRef = { org: string; uid: string };

/** Returns the Organization while it is being deleted. */
export async function findDeletingOrg(store: Store, { org, uid }: OrgDeletionRef): Promise<Organization | undefined> {
  const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
  return organization?.metadata.uid === uid && isDeleting(organization) ? organization : undefined;
}

/** Records what the deletion of an org is waiting for. */
export async function recordDeletionProgress(store: Store, ref: OrgDeletionRef, message: string): Promise<void> {
  await store
    .updateStatus(OrganizationKind, { namespace: systemNamespace, name: ref.org }, ({ metadata, status }) =>
      metadata.uid === ref.uid ? { ...status, deletionMessage: message } : undefined,
    )
    .catch(ignoreNotFound);
}
