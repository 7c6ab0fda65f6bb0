import { ServiceError } from '../../src/errors.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { isDeleting, orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import { listUnfinishedWork } from '../products/unfinished-work.ts';
import { waitUntilDeleted } from '../wait-until-deleted.ts';
import { deleteOrgResources, type OrgResourceDeps } from './delete-org-resources.ts';
import { findDeletingOrg, type OrgDeletionRef, recordDeletionProgress } from './org-deletion.ts';

export type OrgDeps = OrgResourceDeps & {
  /** The time in which runs and Releases have to stop, and Products to be deleted. */
  orgDeletionTimeoutsMs?: { work: number; products: number };
};

/** A run that cannot stop, for example without its code host, must not block the deletion of the org. */
const defaultTimeoutsMs = { work: 5 * 60_000, products: 10 * 60_000 };

export function createOrgActivities({ orgDeletionTimeoutsMs = defaultTimeoutsMs, ...deps }: OrgDeps) {
  const { store } = deps;

  const listProducts = async (ref: OrgDeletionRef): Promise<Product[]> =>
    (await findDeletingOrg(store, ref))
      ? (await store.list(ProductKind, { namespace: orgNamespace(ref.org) })).items
      : [];

  return {
    /** Returns undefined when the org no longer exists. */
    beginOrgDeletion: async ({ org }: { org: string }): Promise<{ uid: string } | undefined> => {
      const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
      if (!organization) return undefined;
      if (isDeleting(organization)) return { uid: organization.metadata.uid };
      throw new ServiceError(
        'decision-refused',
        `The deletion of the org "${org}" was not requested. Delete it through the API or with kubectl.`,
      );
    },

    /** Lists the schedules of the org, and the workflows of its unfinished runs and Releases. */
    listOrgWork: async (ref: OrgDeletionRef): Promise<{ schedules: string[]; workflowIds: string[] }> => {
      if (!(await findDeletingOrg(store, ref))) return { schedules: [], workflowIds: [] };
      const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(ref.org) });
      const unfinished = await listUnfinishedWork(store, { org: ref.org });
      return {
        schedules: items.filter(({ spec }) => isScheduled(spec)).map(({ metadata }) => metadata.name),
        workflowIds: unfinished.map(({ workflowId }) => workflowId),
      };
    },

    /** Waits until all runs and Releases have stopped, or until the timeout. */
    waitForOrgWork: async (ref: OrgDeletionRef): Promise<void> => {
      await recordDeletionProgress(store, ref, 'The runs and Releases are being cancelled.');
      await waitUntilDeleted(
        async () => {
          const names = (await listUnfinishedWork(store, { org: ref.org })).map(({ name }) => name);
          return names.length === 0 ? undefined : names;
        },
        async (names) => await recordDeletionProgress(store, ref, `Waiting until these stop: ${names.join(', ')}.`),
        orgDeletionTimeoutsMs.work,
      );
    },

    /** Marks all Products as being deleted and returns their names; the mark authorizes their workflows. */
    markProductsDeleting: async ({ by, ...ref }: OrgDeletionRef & { by: string }): Promise<string[]> => {
      const products = await listProducts(ref);
      // After a restore, the workflow does not know the person.
      const deletedBy = (await findDeletingOrg(store, ref))?.status?.deletedBy ?? by;
      for (const { metadata } of products)
        await store.updateStatus(ProductKind, metadata, ({ status }) =>
          status?.deletionMessage === undefined
            ? { ...status, deletionMessage: 'its zones are being removed', deletedBy }
            : undefined,
        );
      return products.map(({ metadata }) => metadata.name);
    },

    /** Waits until no Product is left; fails after the timeout, so that the deletions are started again. */
    waitForProductDeletions: async (ref: OrgDeletionRef): Promise<void> => {
      await recordDeletionProgress(store, ref, 'The Products and their zones are being deleted.');
      const listRemaining = async (): Promise<string[] | undefined> => {
        const products = await listProducts(ref);
        return products.length === 0 ? undefined : products.map(describeDeletion);
      };
      await waitUntilDeleted(
        listRemaining,
        async (remaining) => await recordDeletionProgress(store, ref, toProductMessage(remaining)),
        orgDeletionTimeoutsMs.products,
      );
      const remaining = await listRemaining();
      if (remaining) throw new ServiceError('product-deleting', toProductMessage(remaining));
    },

    listOrgDomains: async (ref: OrgDeletionRef): Promise<string[]> => {
      if (!(await findDeletingOrg(store, ref))) return [];
      const { items } = await store.list(DomainKind, { namespace: orgNamespace(ref.org) });
      return items.map(({ metadata }) => metadata.name);
    },

    recordOrgDeletion: async ({ message, ...ref }: OrgDeletionRef & { message: string }): Promise<void> =>
      await recordDeletionProgress(store, ref, message),

    /** Deletes what is left of an org, and the Organization last. */
    deleteOrgResources: async (ref: OrgDeletionRef): Promise<void> => await deleteOrgResources(deps, ref),
  };
}

const toProductMessage = (remaining: string[]): string => `Waiting for the deletion of ${remaining.join('; ')}.`;

function describeDeletion({ metadata, status }: Product): string {
  const zones = (status?.zones ?? []).flatMap(({ name, removal }) =>
    removal ? [`zone ${name}: ${removal.message}`] : [],
  );
  return `the Product "${metadata.name}" (${zones.join(', ') || status?.deletionMessage})`;
}
