import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { isServiceError, unlessGone } from '../../src/errors.ts';
import { zoneClaim } from '../../src/rules/catalog/claims.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { type ConfigMap, ConfigMapKind, type Namespace, NamespaceKind } from '../../src/rules/core-kinds.ts';
import { ApplicationKind, type Application, cascadeFinalizer } from '../../src/rules/environments/delivery-kinds.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { isFinal } from '../failure.ts';
import { removeValues } from './gitops.ts';
import { changeZoneStatus, isWanted } from './zone-status.ts';

/** `filesMayStay` where the Product goes: a gitops repo that cannot be reached does not keep it. */
export type Removal = { org: string; product: string; zone: string; by: string; filesMayStay?: boolean };
type RemovalDeps = { store: Store; codehost: Codehost; now: () => Date };

/** As often as an unreachable gitops repo is asked before its files stay. */
const gitopsAttemptsMax = 4;
const lookAgainMs = 100;
/** Removing an app takes seconds; what takes longer is told. */
const tellAfterMs = 5_000;

/** Takes a zone down: the controller is told to cascade, the files go, then the Application, its namespace and the names. */
export async function removeFromCluster(deps: RemovalDeps, removal: Removal & { repo: string }): Promise<void> {
  const { store, now } = deps;
  const ref = { namespace: orgNamespace(removal.org), name: removal.zone };
  const since = now().toISOString();
  const tell = async (message: string, remaining: string[] = []): Promise<void> =>
    await changeZoneStatus(store, removal, { removal: { by: removal.by, since, message, remaining } });

  // Whoever died after the last line does not take down what was added since under the same name.
  if (await isWanted(store, removal)) return;
  await tell('its files are being taken out of the gitops repo');
  // Before the files go: a finalizer cannot be added once a deletion has begun.
  await ensureCascade(store, ref);
  await removeFiles(deps, removal);
  await deleteApplication(store, ref, tell);
  await deleteNamespace(store, removal, tell);
  await forgetZone(store, removal);
}

async function ensureCascade(store: Store, ref: { namespace: string; name: string }): Promise<void> {
  for (;;) {
    const application = await store.find(ApplicationKind, ref);
    const finalizers = application?.metadata.finalizers ?? [];
    if (!application || application.metadata.deletionTimestamp || finalizers.includes(cascadeFinalizer)) return;
    const metadata = { ...application.metadata, finalizers: [...finalizers, cascadeFinalizer] };
    try {
      return void (await store.replace(ApplicationKind, { ...application, metadata }));
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}

async function removeFiles({ codehost }: RemovalDeps, removal: Removal & { repo: string }): Promise<void> {
  const remove = async (): Promise<void> => await removeValues(await codehost.forOrg(removal.org), removal);
  await (removal.filesMayStay ? unlessUnreachable(remove) : remove());
}

/** Does something in the gitops repo of a Product that goes whether or not the repo can be reached. */
export async function unlessUnreachable(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!isFinal(error) && Context.current().info.attempt < gitopsAttemptsMax) throw error;
  }
}

type Tell = (message: string, remaining: string[]) => Promise<void>;

async function deleteApplication(store: Store, ref: { namespace: string; name: string }, tell: Tell): Promise<void> {
  await untilGone(
    async () => {
      const application = await store.find(ApplicationKind, ref);
      if (application && !application.metadata.deletionTimestamp) await deleteOnce(store, ApplicationKind, ref);
      return application && resourcesOf(application);
    },
    async (remaining) => await tell('the controller is still removing what it deployed', remaining),
  );
}

/** With the volumes and certificates in it; one that is not labelled as the Product's is somebody else's. */
async function deleteNamespace(store: Store, removal: Removal, tell: Tell): Promise<void> {
  const ref = { namespace: '', name: removal.zone };
  const labels = Object.entries(zoneNamespaceLabels(removal));
  await untilGone(
    async () => {
      const found = await store.find(NamespaceKind, ref);
      if (!found || !labels.every(([name, value]) => found.metadata.labels?.[name] === value)) return undefined;
      if (!found.metadata.deletionTimestamp) await deleteOnce(store, NamespaceKind, ref);
      return remainingIn(found);
    },
    async (remaining) => await tell('its namespace is still being removed', remaining),
  );
}

/** Somebody else may have been faster. */
const deleteOnce = async (store: Store, kind: Kind<StoredObject>, ref: { namespace: string; name: string }) =>
  await store.delete(kind, ref).catch(unlessGone);

/** Looks until there is nothing left; what takes long is told, whenever it is something else. */
async function untilGone(
  look: () => Promise<string[] | undefined>,
  tell: (remaining: string[]) => Promise<void>,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const begunAt = Date.now();
  let told = '';
  for (let remaining = await look(); remaining; remaining = await look()) {
    if (Date.now() - begunAt > tellAfterMs && remaining.join() !== told) {
      told = remaining.join();
      await tell(remaining);
    }
    await sleep(lookAgainMs, undefined, { signal });
  }
}

/** The cluster says in conditions what keeps a namespace. */
const remainingIn = ({ status, metadata }: Namespace): string[] => {
  const kept = (status?.conditions ?? []).filter((one) => one.status === 'True').map(({ message = '' }) => message);
  return kept.length > 0 ? kept : [`Namespace/${metadata.name}`];
};

const resourcesOf = ({ status, metadata }: Application): string[] => {
  const resources = (status?.resources ?? []).map(({ kind, name }) => `${kind}/${name}`);
  return resources.length > 0 ? resources : [`Application/${metadata.name}`];
};

/** Its claims on names and then its entry go last: until then nobody can have the name. */
async function forgetZone(store: Store, { org, product, zone }: Removal): Promise<void> {
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const isOurs = ({ metadata, data }: ConfigMap): boolean =>
    data?.['org'] === org &&
    data['product'] === product &&
    (data['zone'] === zone || metadata.name === zoneClaim(zone));
  for (const { metadata } of items.filter(isOurs))
    await deleteOnce(store, ConfigMapKind, { namespace: systemNamespace, name: metadata.name });
  const ref = { namespace: orgNamespace(org), name: product };
  if (await store.find(ProductKind, ref))
    await store.updateStatus(ProductKind, ref, ({ status }) => ({
      ...status,
      zones: (status?.zones ?? []).filter(({ name }) => name !== zone),
    }));
}
