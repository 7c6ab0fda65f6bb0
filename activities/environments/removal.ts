import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { isServiceError } from '../../src/errors.ts';
import { zoneClaim } from '../../src/rules/catalog/claims.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { type ConfigMap, ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { ApplicationKind, type Application, cascadeFinalizer } from '../../src/rules/environments/delivery-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { removeValues } from './gitops.ts';
import { changeZoneStatus } from './zone-status.ts';

/** `filesMayStay` where the Product goes: a gitops repo that cannot be reached does not keep it. */
export type Removal = { org: string; product: string; zone: string; by: string; filesMayStay?: boolean };
type RemovalDeps = { store: Store; codehost: Codehost; now: () => Date };

/** As often as an unreachable gitops repo is asked before its files stay. */
const gitopsAttemptsMax = 4;
const lookAgainMs = 100;
/** Removing an app takes seconds; what takes longer is told. */
const tellAfterMs = 5_000;

/** Takes a zone down: the controller is told to cascade, the files go, then the Application, then the names. */
export async function removeFromCluster(deps: RemovalDeps, removal: Removal & { repo: string }): Promise<void> {
  const { store, now } = deps;
  const ref = { namespace: orgNamespace(removal.org), name: removal.zone };
  const since = now().toISOString();
  const tell = async (message: string, remaining: string[] = []): Promise<void> =>
    await changeZoneStatus(store, removal, { removal: { by: removal.by, since, message, remaining } });

  if (await isBackAgain(store, removal)) return;
  await tell('its files are being taken out of the gitops repo');
  // Before the files go: a finalizer cannot be added once a deletion has begun.
  await ensureCascade(store, ref);
  await removeFiles(deps, removal);
  await deleteApplication(store, ref, tell);
  await forgetZone(store, removal);
}

/** Whoever died after the last line does not take down what was added since under the same name. */
async function isBackAgain(store: Store, { org, product, zone }: Removal): Promise<boolean> {
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  const isGoing = found?.status?.deletion !== undefined || found?.metadata.deletionTimestamp !== undefined;
  return !isGoing && (found?.spec.delivery.zones ?? []).some(({ name }) => name === zone);
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
  try {
    await removeValues(await codehost.forOrg(removal.org), removal);
  } catch (error) {
    const { attempt } = Context.current().info;
    if (!removal.filesMayStay || attempt < gitopsAttemptsMax) throw error;
  }
}

async function deleteApplication(
  store: Store,
  ref: { namespace: string; name: string },
  tell: (message: string, remaining: string[]) => Promise<void>,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const begunAt = Date.now();
  let told = '';
  for (;;) {
    const application = await store.find(ApplicationKind, ref);
    if (!application) return;
    if (!application.metadata.deletionTimestamp) await store.delete(ApplicationKind, ref);
    const remaining = resourcesOf(application);
    if (Date.now() - begunAt > tellAfterMs && remaining.join() !== told) {
      told = remaining.join();
      await tell('the controller is still removing what it deployed', remaining);
    }
    await sleep(lookAgainMs, undefined, { signal });
  }
}

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
    await store.delete(ConfigMapKind, { namespace: systemNamespace, name: metadata.name }).catch((error: unknown) => {
      if (!isServiceError(error, 'not-found')) throw error;
    });
  const ref = { namespace: orgNamespace(org), name: product };
  if (await store.find(ProductKind, ref))
    await store.updateStatus(ProductKind, ref, ({ status }) => ({
      ...status,
      zones: (status?.zones ?? []).filter(({ name }) => name !== zone),
    }));
}
