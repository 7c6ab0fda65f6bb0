import type { Kind, StoredObject } from '../src/rules/resource.ts';
import { type Ref, type Store, WatchExpiredError } from '../src/store/store.ts';

type WaitOptions<T, Result> = {
  signal: AbortSignal;
  /** Returns undefined to continue waiting. */
  judge: (object: T) => Result | undefined | Promise<Result | undefined>;
  /** Runs when the object does not exist or is deleted. */
  onMissing?: () => Promise<void>;
};

/** Watches one object until `judge` returns a result; the wait continues when the object is deleted. */
export async function waitForObject<T extends StoredObject, Result>(
  store: Store,
  kind: Kind<T>,
  { namespace, name, signal, judge, onMissing }: Ref & WaitOptions<T, Result>,
): Promise<Result> {
  for (;;) {
    signal.throwIfAborted();
    const { items, resourceVersion } = await store.list(kind, { namespace, fields: { 'metadata.name': name } });
    const initial = items[0] && (await judge(items[0]));
    if (initial !== undefined) return initial;
    if (items.length === 0) await onMissing?.();
    try {
      for await (const { type, object } of store.watch(kind, { namespace, name, resourceVersion, signal })) {
        if (type === 'DELETED') await onMissing?.();
        const result = type === 'DELETED' ? undefined : await judge(object);
        if (result !== undefined) return result;
      }
    } catch (error) {
      if (!(error instanceof WatchExpiredError)) throw error;
    }
  }
}
