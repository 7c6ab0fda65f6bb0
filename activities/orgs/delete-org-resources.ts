import { ignoreNotFound } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { AppProjectKind } from '../../src/kinds/argo-cd.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { runPrefix } from '../../src/rules/agents/transcript-keys.ts';
import { orgCommitsPrefix } from '../../src/rules/changes/commit-key.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { orgProjectName } from '../../src/rules/environments/org-project.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { archivesPrefix } from '../../src/rules/products/archive-limits.ts';
import { orgLogosPrefix } from '../../src/rules/products/logo.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { deleteOrgClaims } from '../domains/update-domain-claims.ts';
import { removeFinalizer } from '../remove-finalizer.ts';
import { waitUntilDeleted } from '../wait-until-deleted.ts';
import { findDeletingOrg, type OrgDeletionRef, recordDeletionProgress } from './org-deletion.ts';

export type OrgResourceDeps = { store: Store; blobs: Blobs; argoCdNamespace: string };

/**
 * Deletes what is left of an org after its Products and domains, in an order in which an interrupted deletion finds
 * everything again: the Organization is last.
 */
export async function deleteOrgResources(deps: OrgResourceDeps, ref: OrgDeletionRef): Promise<void> {
  const { store } = deps;
  if (!(await findDeletingOrg(store, ref))) return;
  await recordDeletionProgress(store, ref, 'The names, files and credentials of the org are being deleted.');
  await deleteOrgClaims(store, ref.org);
  await deleteOrgReservations(store, ref.org);
  await deleteOrgBlobs(deps, ref.org);
  // Argo CD's credentials for the gitops repo are owned by the project.
  const project = { namespace: deps.argoCdNamespace, name: orgProjectName(ref.org) };
  await store.delete(AppProjectKind, project).catch(ignoreNotFound);
  await deleteOrgNamespace(store, ref);
  const finalized = { ref: { namespace: systemNamespace, name: ref.org }, uid: ref.uid, finalizer: orgFinalizer };
  await removeFinalizer(store, OrganizationKind, finalized);
}

/** Reservations name the org that holds them; their Products are gone. */
async function deleteOrgReservations(store: Store, org: string): Promise<void> {
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  for (const { metadata } of items.filter(({ data }) => data?.['org'] === org && data['product'] !== undefined))
    await store.delete(ConfigMapKind, metadata).catch(ignoreNotFound);
}

/** The blobs go before the runs, which are the only list of them. */
async function deleteOrgBlobs({ store, blobs }: OrgResourceDeps, org: string): Promise<void> {
  const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org) });
  for (const { metadata } of items) await blobs.deletePrefix(runPrefix(metadata.uid));
  await blobs.deletePrefix(orgLogosPrefix(org));
  await blobs.deletePrefix(archivesPrefix(org));
  await blobs.deletePrefix(orgCommitsPrefix(org));
}

/** The namespace holds the org's agents, access groups, tokens of its code host and keys of its model provider. */
async function deleteOrgNamespace(store: Store, ref: OrgDeletionRef): Promise<void> {
  await waitUntilDeleted(
    async () => {
      const remaining = await store.deleteNamespace(orgNamespace(ref.org));
      return remaining.length === 0 ? undefined : remaining;
    },
    async (remaining) =>
      await recordDeletionProgress(store, ref, `Its namespace is still being deleted: ${remaining.join(', ')}.`),
  );
}
