import { isDeepStrictEqual } from 'node:util';
import { isServiceError } from '../errors.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';
import type { NewObject, Ref, Store } from './store.ts';

/**
 * Creates an object, or replaces its content when that differs. `build` gets the current object and runs again when
 * another process has written it in the meantime, so the last write always has the newest content.
 */
export async function applyObject<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { ref, build }: { ref: Ref; build: (current: T | undefined) => Content<T> | Promise<Content<T>> },
): Promise<void> {
  for (;;) {
    const current = await store.find(kind, ref);
    const content = await build(current);
    try {
      if (!current) await store.create(kind, { ...content, metadata: ref } as NewObject<T>);
      else if (!hasContent(current, content)) await store.replace(kind, { ...current, ...content });
      return;
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}

type Content<T extends StoredObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'>;

const hasContent = (current: object, content: object): boolean =>
  Object.entries(content).every(([field, value]) =>
    isDeepStrictEqual((current as Record<string, unknown>)[field], value),
  );
