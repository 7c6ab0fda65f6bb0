import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { type Store, WatchExpired } from '../../store/store.ts';

/** Neither callback is waited for, so that no object holds up what is seen of the others. */
type Follower<T> = { signal: AbortSignal; see(object: T): void; gone(object: T): void };

/** Sees every object of a kind as it is now and whenever it changes, until the signal; errors are outlived. */
export async function follow<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  follower: Follower<T>,
): Promise<void> {
  const { signal, see, gone } = follower;
  const known = new Map<string, T>();
  const note = (object: T, isGone: boolean): void => {
    if (isGone) known.delete(object.metadata.uid);
    else known.set(object.metadata.uid, object);
    if (isGone) gone(object);
    else see(object);
  };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await store.list(kind);
      const present = new Set(items.map(({ metadata }) => metadata.uid));
      // What went while nobody watched.
      for (const object of [...known.values()].filter(({ metadata }) => !present.has(metadata.uid))) note(object, true);
      for (const object of items) note(object, false);
      for await (const { type, object } of store.watch(kind, { resourceVersion, signal }))
        note(object, type === 'DELETED');
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof WatchExpired)) await sleep(500, undefined, { signal }).catch(() => undefined);
    }
  }
}
