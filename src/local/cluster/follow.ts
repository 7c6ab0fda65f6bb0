import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { type Store, WatchExpired } from '../../store/store.ts';

type Follower<T> = { signal: AbortSignal; see(object: T): Promise<void>; gone(object: T): Promise<void> };

/** Sees every object of a kind as it is now and whenever it changes, until the signal; errors are outlived. */
export async function follow<T extends StoredObject>(store: Store, kind: Kind<T>, { signal, see, gone }: Follower<T>): Promise<void> {
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await store.list(kind);
      for (const object of items) await see(object);
      for await (const { type, object } of store.watch(kind, { resourceVersion, signal })) await (type === 'DELETED' ? gone(object) : see(object));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof WatchExpired)) await sleep(500, undefined, { signal }).catch(() => undefined);
    }
  }
}
