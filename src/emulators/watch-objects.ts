import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../rules/resource.ts';
import { listAndWatch } from '../store/list-and-watch.ts';
import type { Store } from '../store/store.ts';

/** Callbacks are not awaited, so that no object delays the others. */
type WatchHandlers<T> = { signal: AbortSignal; onUpdate(object: T): void; onDelete(object: T): void };

/** Reports every object of a kind now and on each change until the signal aborts. Store errors are retried. */
export async function watchObjects<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  handlers: WatchHandlers<T>,
): Promise<void> {
  const { signal, onUpdate, onDelete } = handlers;
  const known = new Map<string, T>();
  const report = (object: T, isDeleted: boolean): void => {
    if (isDeleted) known.delete(object.metadata.uid);
    else known.set(object.metadata.uid, object);
    if (isDeleted) onDelete(object);
    else onUpdate(object);
  };
  const reportAll = (items: T[]): void => {
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    // These objects were deleted while no watch was open.
    for (const object of [...known.values()].filter(({ metadata }) => !present.has(metadata.uid))) report(object, true);
    for (const object of items) report(object, false);
  };
  while (!signal.aborted) {
    try {
      const list = () => store.list(kind);
      const watch = (resourceVersion: string) => store.watch(kind, { resourceVersion, signal });
      for await (const event of listAndWatch({ signal, list, watch }))
        if (event.type === 'LISTED') reportAll(event.items);
        else report(event.object, event.type === 'DELETED');
    } catch {
      // The store is unavailable; the next list reports every change that this watch missed.
    }
    await sleep(500, undefined, { signal }).catch(() => undefined);
  }
}
