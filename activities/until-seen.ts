import type { Kind, StoredObject } from '../src/rules/resource.ts';
import { type Ref, type Store, WatchExpired } from '../src/store/store.ts';

type Watching<T, Answer> = {
  signal: AbortSignal;
  /** Undefined while there is nothing to say yet. */
  judge: (object: T) => Answer | undefined | Promise<Answer | undefined>;
  /** The object is not there, or has gone. */
  onGone?: () => Promise<void>;
};

/** Watches one object until it says something; deleting it does not end the waiting, the signal does. */
export async function untilSeen<T extends StoredObject, Answer>(
  store: Store,
  kind: Kind<T>,
  { namespace, name, signal, judge, onGone }: Ref & Watching<T, Answer>,
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted();
    const { items, resourceVersion } = await store.list(kind, { namespace, fields: { 'metadata.name': name } });
    const first = items[0] && (await judge(items[0]));
    if (first !== undefined) return first;
    if (items.length === 0) await onGone?.();
    try {
      for await (const { type, object } of store.watch(kind, { namespace, name, resourceVersion, signal })) {
        if (type === 'DELETED') await onGone?.();
        const answer = type === 'DELETED' ? undefined : await judge(object);
        if (answer !== undefined) return answer;
      }
    } catch (error) {
      if (!(error instanceof WatchExpired)) throw error;
    }
  }
}
