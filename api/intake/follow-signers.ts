import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { WatchEvent } from '../../src/store/store.ts';
import { codehostAppRef } from '../catalog/codehost-app.ts';
import type { ApiDeps } from '../deps.ts';
import { KnownSigners, type Signers } from './signers.ts';

const { name } = codehostAppRef('');

/**
 * Who may sign, read at the first delivery and then kept as the store's watch tells: what makes a thousand orgs as cheap
 * as one. It is a copy; a restart loses nothing by losing it.
 */
export function followSigners({ store, closing }: Pick<ApiDeps, 'store' | 'closing'>): () => Promise<Signers> {
  let following: Promise<KnownSigners> | undefined;

  const follow = async (): Promise<KnownSigners> => {
    const namespace = systemNamespace;
    const orgs = await store.list(OrganizationKind, { namespace });
    const entries = await store.list(SecretKind, { fields: { 'metadata.name': name } });
    const known = new KnownSigners();
    for (const org of orgs.items) known.noteOrg(org);
    for (const entry of entries.items) known.noteEntry(entry);

    const end = new AbortController();
    const signal = closing ? AbortSignal.any([closing, end.signal]) : end.signal;
    const watches = [
      keepUp(store.watch(OrganizationKind, { namespace, resourceVersion: orgs.resourceVersion, signal }), (org, gone) =>
        known.noteOrg(org, gone),
      ),
      keepUp(store.watch(SecretKind, { name, resourceVersion: entries.resourceVersion, signal }), (entry, gone) =>
        known.noteEntry(entry, gone),
      ),
    ];
    const startOver = (): void => {
      following = undefined;
      end.abort();
    };
    // Whatever ended it, also a version that is no longer kept: the next delivery reads everything anew.
    void Promise.race(watches).then(startOver, startOver);
    void Promise.allSettled(watches);
    return known;
  };

  return async () => {
    following ??= follow();
    try {
      return (await following).signers;
    } catch (error) {
      following = undefined;
      throw error;
    }
  };
}

async function keepUp<T>(
  events: AsyncIterable<WatchEvent<T>>,
  note: (object: T, gone: boolean) => void,
): Promise<void> {
  for await (const { type, object } of events) note(object, type === 'DELETED');
}
