import { ignoreNotFound, notFound, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { runPrefix } from '../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { requestTtlMs } from '../../src/rules/expiry.ts';
import { environmentsFinalizer, type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { logosPrefix } from '../../src/rules/products/logo.ts';
import { addRequestMarker, requestMarker } from '../../src/rules/products/request-marker.ts';
import type { IssueEvent } from '../../src/rules/intake/events.ts';
import { repoReservationName } from '../../src/rules/products/repo-reservation-name.ts';
import { productReservationName, zoneReservationName } from '../../src/rules/products/reservations.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { deleteAddressReservations } from '../../src/store/address-reservations.ts';
import type { Store } from '../../src/store/store.ts';
import { removeFinalizer } from '../remove-finalizer.ts';
import { waitUntilDeleted } from '../wait-until-deleted.ts';
import { listUnfinishedWork } from './unfinished-work.ts';
import type { CreateIssueInput, LabelIssueInput } from '../../workflows/products/messages.ts';

export type ProductDeps = {
  store: Store;
  codehost: Codehost;
  blobs: Blobs;
  /** The time in which the runs and Releases of a deleted Product have to stop. */
  workTimeoutMs?: number;
};
type ProductRef = { org: string; product: string };
type IssuePayload = { title: string; body: string; labels: string[] };

/** A run that cannot stop, for example without its code host, must not block the deletion of the Product. */
const defaultWorkTimeoutMs = 5 * 60_000;

export function createProductActivities({ store, codehost, blobs, workTimeoutMs = defaultWorkTimeoutMs }: ProductDeps) {
  const toRef = ({ org, product }: ProductRef) => ({ namespace: orgNamespace(org), name: product });

  return {
    /** Creates an issue from the stored payload; a marker in its body keeps a retry from creating a second one. */
    createIssue: async ({
      org,
      repo,
      payloadKey,
    }: Pick<CreateIssueInput, 'org' | 'repo' | 'payloadKey'>): Promise<{ number: number }> => {
      const bytes = await blobs.find(payloadKey);
      if (!bytes) throw notFound('request', payloadKey, `org "${org}"`);
      const { title, body, labels } = JSON.parse(Buffer.from(bytes).toString('utf8')) as IssuePayload;
      const host = await codehost.forOrg(org);
      // A large repo has more issues than can be read in an attempt; an older request is not repeated.
      const since = new Date(Date.now() - requestTtlMs).toISOString();
      const existing = (await host.listIssues(repo, { state: 'all', since })).find((issue) =>
        issue.body.includes(requestMarker(payloadKey)),
      );
      const { number } =
        existing ?? (await host.createIssue(repo, { title, labels, body: addRequestMarker(body, payloadKey) }));
      return { number };
    },

    /** Returns one event for each label that the issue does not have yet. */
    readLabelEvents: async ({ org, repo, number, add }: LabelIssueInput): Promise<IssueEvent[]> => {
      const issue = await (await codehost.forOrg(org)).getIssue(repo, number);
      // The code host ignores the letter case of labels.
      const existing = new Set(issue.labels.map((label) => label.toLowerCase()));
      const added = [...new Set(add)].filter((label) => !existing.has(label.toLowerCase()));
      return added.map((label) => ({
        event: 'issues',
        action: 'labeled',
        repo,
        number,
        label,
        labels: [...issue.labels, ...added],
        at: new Date().toISOString(),
        senderIsBot: false,
        authorIsBot: issue.authorIsBot,
        isPullRequest: issue.isPullRequest,
        people: issue.authorIsBot ? [] : [issue.author],
      }));
    },

    labelIssue: async ({ org, repo, number, add, remove }: LabelIssueInput): Promise<void> => {
      const host = await codehost.forOrg(org);
      if (add.length > 0) await host.addLabels(repo, number, add);
      for (const label of remove) await host.removeLabel(repo, number, label);
    },

    /** Returns the zones of a Product that is being deleted, including those that were removed from the spec. */
    beginProductDeletion: async (ref: ProductRef): Promise<string[]> => {
      const product = await store.find(ProductKind, toRef(ref));
      if (!product) return [];
      if (!isProductDeleting(product))
        throw new ServiceError(
          'decision-refused',
          `The deletion of the Product "${ref.product}" was not requested. Delete it through the API or with kubectl.`,
        );
      const zones = [...product.spec.delivery.zones, ...(product.status?.zones ?? [])].map(({ name }) => name);
      return [...new Set(zones)];
    },

    /** Lists the workflows of the unfinished runs and Releases of a Product. */
    listProductWork: async (ref: ProductRef): Promise<string[]> =>
      (await listUnfinishedWork(store, ref)).map(({ workflowId }) => workflowId),

    /** Waits until all runs and Releases of a Product that is being deleted have stopped, or until the timeout. */
    waitForProductWork: async (ref: ProductRef): Promise<void> => {
      await waitUntilDeleted(
        async () => {
          const names = (await listUnfinishedWork(store, ref)).map(({ name }) => name);
          return names.length === 0 ? undefined : names;
        },
        async (names) => await recordProgress(ref, `these are being cancelled: ${names.join(', ')}`),
        workTimeoutMs,
      );
      await recordProgress(ref, 'its zones are being removed');
    },

    /**
     * Deletes the Product, the blobs of its runs and its reservations. A Product of the same name may be created as soon
     * as this one is gone, so this one goes last, and a repetition deletes nothing of the later one.
     */
    deleteProductResources: async ({ zones, ...ref }: ProductRef & { zones: string[] }): Promise<void> => {
      const product = await store.find(ProductKind, toRef(ref));
      if (!product || !isProductDeleting(product)) return;
      const { items: runs } = await store.list(AgentWorkflowRunKind, {
        namespace: orgNamespace(ref.org),
        fields: { 'spec.product': ref.product },
      });
      for (const { metadata } of runs) await blobs.deletePrefix(runPrefix(metadata.uid));
      // The blobs of many runs take long, and another attempt may have completed the deletion meanwhile.
      const current = await store.find(ProductKind, toRef(ref));
      if (current?.metadata.uid !== product.metadata.uid) return;
      await blobs.deletePrefix(logosPrefix(ref.org, ref.product));
      const addresses = product.spec.delivery.zones.flatMap((zone) => zone.addresses ?? []);
      await deleteAddressReservations(store, { holder: ref, addresses });
      const repos = product.spec.repos.map((repo) => repoReservationName(ref.org, repo));
      await deleteReservations(ref, [productReservationName(ref.product), ...repos, ...zones.map(zoneReservationName)]);
      await deleteAndFinalize(product.metadata);
    },
  };

  async function recordProgress(ref: ProductRef, deletionMessage: string): Promise<void> {
    await store
      .updateStatus(ProductKind, toRef(ref), (product) =>
        isProductDeleting(product) ? { ...product.status, deletionMessage } : undefined,
      )
      .catch(ignoreNotFound);
  }

  async function deleteAndFinalize(metadata: Product['metadata']): Promise<void> {
    await store.delete(ProductKind, metadata);
    const { uid } = metadata;
    await removeFinalizer(store, ProductKind, { ref: metadata, uid, finalizer: environmentsFinalizer });
  }

  async function deleteReservations(holder: ProductRef, names: string[]): Promise<void> {
    for (const name of names) {
      const reservation = await store.find(ConfigMapKind, { namespace: systemNamespace, name });
      if (reservation?.data?.['org'] !== holder.org || reservation.data['product'] !== holder.product) continue;
      await store.delete(ConfigMapKind, reservation.metadata).catch(ignoreNotFound);
    }
  }
}
