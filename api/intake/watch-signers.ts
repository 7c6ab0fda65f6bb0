import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { listAndWatch, type Listed } from '../../src/store/list-and-watch.ts';
import type { WatchEvent } from '../../src/store/store.ts';
import { codehostAppSecretName } from '../codehost/codehost-app.ts';
import type { ApiDeps } from '../deps.ts';
import { SignerIndex, type SignerSnapshot } from './signer-index.ts';

/** Reads the signers at the first delivery and then keeps them current with a watch, so that a delivery reads no store. */
export function watchSigners({
  store,
  shutdownSignal,
  now,
}: Pick<ApiDeps, 'store' | 'shutdownSignal' | 'now'>): () => Promise<SignerSnapshot> {
  let index: Promise<SignerIndex> | undefined;

  const load = async (): Promise<SignerIndex> => {
    const signers = new SignerIndex();
    const end = new AbortController();
    const signal = shutdownSignal ? AbortSignal.any([shutdownSignal, end.signal]) : end.signal;
    // A watch may fail for any reason, such as an outage of the store; the next delivery reads everything again.
    const onEnd = (): void => {
      index = undefined;
      end.abort();
    };
    const orgs = listAndWatch({
      signal,
      list: () => store.list(OrganizationKind, { namespace: systemNamespace }),
      watch: (resourceVersion) =>
        store.watch(OrganizationKind, { namespace: systemNamespace, resourceVersion, signal }),
    });
    const secrets = listAndWatch({
      signal,
      list: () => store.list(SecretKind, { fields: { 'metadata.name': codehostAppSecretName } }),
      watch: (resourceVersion) => store.watch(SecretKind, { name: codehostAppSecretName, resourceVersion, signal }),
    });
    try {
      await followEvents(orgs, {
        replace: (items) => signers.replaceOrgs(items),
        update: (org, isDeleted) => signers.updateOrg(org, isDeleted),
        onEnd,
      });
      await followEvents(secrets, {
        replace: (items) => signers.replaceSecrets(items),
        update: (secret, isDeleted) => signers.updateSecret(secret, isDeleted),
        onEnd,
      });
    } catch (error) {
      end.abort();
      throw error;
    }
    return signers;
  };

  return async () => {
    index ??= load();
    try {
      return (await index).snapshotAt(now());
    } catch (error) {
      index = undefined;
      throw error;
    }
  };
}

type EventHandlers<T> = {
  replace: (items: T[]) => void;
  update: (object: T, isDeleted: boolean) => void;
  onEnd: () => void;
};

/** Resolves when the first list is applied; the changes after it are applied in the background. */
async function followEvents<T>(
  events: AsyncGenerator<Listed<T> | WatchEvent<T>>,
  { replace, update, onEnd }: EventHandlers<T>,
): Promise<void> {
  const apply = (event: Listed<T> | WatchEvent<T>): void => {
    if (event.type === 'LISTED') replace(event.items);
    else update(event.object, event.type === 'DELETED');
  };
  const first = await events.next();
  if (!first.done) apply(first.value);
  const applyChanges = async (): Promise<void> => {
    for await (const event of events) apply(event);
  };
  void applyChanges().then(onEnd, onEnd);
}
