import { Context } from '@temporalio/activity';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { type Application, ApplicationKind, cascadeFinalizer } from '../../src/kinds/argo-cd.ts';
import { type ConfigMap, ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { toHostName } from '../../src/rules/domains/addresses.ts';
import { listRemainingContent } from '../../src/rules/environments/list-remaining-content.ts';
import type { RemovalStatus } from '../../src/rules/environments/zone-state.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { type Kind, orgNamespace, type StoredObject, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { isNonRetryable } from '../to-failure.ts';
import { waitUntilDeleted } from '../wait-until-deleted.ts';
import { changeApplication } from './application.ts';
import { removeZoneValues } from './gitops-removal.ts';
import { ensureOrgProject } from './org-project.ts';
import { deleteZoneNamespace } from './zone-namespace.ts';
import { isZoneDesired, recordZoneStatus } from './zone-status.ts';

export type RemoveZoneInput = { org: string; product: string; zone: string; by: string };
type RemoveZoneDeps = { store: Store; codehost: Codehost; now: () => Date; argoCdNamespace: string };
type Step = NonNullable<RemovalStatus['step']>;
type ReportProgress = (step: Step, message: string, remaining?: string[]) => Promise<void>;

/** After this many failed attempts, the files stay in an unreachable gitops repo. */
const gitopsAttemptsMax = 4;

/** Removes the zone's files first, then the Application with all it deployed, the namespace and the reservations. */
export async function removeZoneResources(
  deps: RemoveZoneDeps,
  input: RemoveZoneInput & { repo: string },
): Promise<void> {
  const { store, now } = deps;
  const ref = { namespace: orgNamespace(input.org), name: input.zone };
  const product = await store.find(ProductKind, { namespace: ref.namespace, name: input.product });
  const earlier = product?.status?.zones?.find(({ name }) => name === input.zone)?.removal;
  const since = earlier?.since ?? now().toISOString();
  // After a restore or an outage, the workflow that asks for the removal does not know the person.
  const by = product?.status?.deletedBy ?? input.by;
  const report: ReportProgress = async (step, message, remaining = []) =>
    await recordZoneStatus(store, input, { removal: { by, since, step, message, remaining } });

  // A retry after the last line must not remove a zone that was added since under the same name.
  if (await isZoneDesired(store, input)) return;
  await report('files', 'its files are being removed from the gitops repo');
  // The finalizer comes first, because none can be added once a deletion has begun.
  await ensureCascadeFinalizer(store, input);
  const tell = toRetryable(report);
  await removeZoneFiles(deps, input).catch(tell('files', 'its files are still in the gitops repo'));
  await deleteApplication(store, ref, report).catch(tell('application', 'its Application cannot be deleted'));
  await deleteNamespace(store, input, report).catch(tell('namespace', 'its namespace cannot be deleted'));
  await deleteZoneReservations(store, input);
  await ensureOrgProject(store, { org: input.org, argoCdNamespace: deps.argoCdNamespace });
}

/**
 * Reports why a step failed, so that people see what the removal waits for. A refusal would end the zone's workflow, from
 * which a deletion of the Product may expect the end of the removal.
 */
const toRetryable =
  (report: ReportProgress) =>
  (step: Step, failure: string) =>
  async (error: unknown): Promise<never> => {
    if (Context.current().cancellationSignal.aborted) throw error;
    const message = error instanceof Error ? error.message : '';
    await report(step, `${failure}: ${message}`);
    throw error instanceof ServiceError ? new Error(message, { cause: error }) : error;
  };

async function ensureCascadeFinalizer(store: Store, zone: RemoveZoneInput): Promise<void> {
  await changeApplication(store, zone, (application) => {
    const { finalizers = [], deletionTimestamp } = application.metadata;
    if (deletionTimestamp || finalizers.includes(cascadeFinalizer)) return undefined;
    return { ...application, metadata: { ...application.metadata, finalizers: [...finalizers, cascadeFinalizer] } };
  });
}

/** Each attempt reads the Product, whose deletion may begin while a removal by a person waits for the gitops repo. */
async function removeZoneFiles(
  { store, codehost }: RemoveZoneDeps,
  input: RemoveZoneInput & { repo: string },
): Promise<void> {
  const remove = async (): Promise<void> => await removeZoneValues(await codehost.forOrg(input.org), input);
  const product = await store.find(ProductKind, { namespace: orgNamespace(input.org), name: input.product });
  await (!product || isProductDeleting(product) ? ignoreUnreachableRepo(remove) : remove());
}

/** Runs a task in the gitops repo of a Product that is deleted even when the repo stays unreachable. */
export async function ignoreUnreachableRepo(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!isNonRetryable(error) && Context.current().info.attempt < gitopsAttemptsMax) throw error;
  }
}

async function deleteApplication(
  store: Store,
  ref: { namespace: string; name: string },
  report: ReportProgress,
): Promise<void> {
  await waitUntilDeleted(
    async () => {
      const application = await store.find(ApplicationKind, ref);
      if (application && !application.metadata.deletionTimestamp) await deleteIfExists(store, ApplicationKind, ref);
      return application && { message: describeDeletion(application), resources: listRemainingResources(application) };
    },
    async ({ message, resources }) => await report('application', message, resources),
  );
}

/** Argo CD waits for the resources of a cluster that is gone until it no longer knows the cluster. */
function describeDeletion({ spec, status }: Application): string {
  const error = status?.conditions?.find(({ type }) => type === 'DeletionError')?.message.replace(/\.$/, '');
  if (error === undefined) return 'the controller is still removing the deployed resources';
  const { name } = spec.destination;
  const fix = `. If the cluster "${name}" is gone for good, an operator removes it from Argo CD`;
  return `the controller cannot remove the deployed resources: ${error}${name === undefined ? '' : fix}`;
}

/** The namespaces of workload clusters stay, because the service may delete nothing there. */
async function deleteNamespace(store: Store, input: RemoveZoneInput, report: ReportProgress): Promise<void> {
  const product = await store.find(ProductKind, { namespace: orgNamespace(input.org), name: input.product });
  if (!product) return;
  const owner = { ...input, uid: product.metadata.uid };
  await waitUntilDeleted(
    async () => {
      const namespace = await deleteZoneNamespace(store, owner);
      return namespace && listRemainingContent(namespace);
    },
    async (remaining) => await report('namespace', 'its namespace is still being removed', remaining),
  );
}

/** The object may have been deleted in between. */
const deleteIfExists = async (store: Store, kind: Kind<StoredObject>, ref: { namespace: string; name: string }) =>
  await store.delete(kind, ref).catch(ignoreNotFound);

const listRemainingResources = ({ status, metadata }: Application): string[] => {
  const resources = (status?.resources ?? []).map(({ kind, name }) => `${kind}/${name}`);
  return resources.length > 0 ? resources : [`Application/${metadata.name}`];
};

/** The reservations and the status entry go last, so that the name cannot be reused during the removal. */
async function deleteZoneReservations(store: Store, { org, product, zone }: RemoveZoneInput): Promise<void> {
  const ref = { namespace: orgNamespace(org), name: product };
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const zones = (await store.find(ProductKind, ref))?.spec.delivery.zones ?? [];
  // An address may have moved to another zone, which its reservation names a moment later.
  const usedHosts = new Set(zones.flatMap(({ addresses = [] }) => addresses.map(toHostName)));
  const isOfZone = ({ metadata, data }: ConfigMap): boolean =>
    data?.['org'] === org &&
    data['product'] === product &&
    (metadata.name === zoneReservationName(zone) || (data['zone'] === zone && !usedHosts.has(data['host'] ?? '')));
  for (const { metadata } of items.filter(isOfZone))
    await deleteIfExists(store, ConfigMapKind, { namespace: systemNamespace, name: metadata.name });
  if (await store.find(ProductKind, ref))
    await store.updateStatus(ProductKind, ref, ({ status }) => ({
      ...status,
      zones: (status?.zones ?? []).filter(({ name }) => name !== zone),
    }));
}
