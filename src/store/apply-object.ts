import { isDeepStrictEqual } from 'node:util';
import { isServiceError } from '../errors.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';
import type { NewObject, Ref, Store } from './store.ts';

/**
 * Creates an object, or replaces its content when that differs. `build` gets the current object and runs again when
 * another process has written or deleted it in the meantime, so the last write always has the newest content. Throws the
 * error of the last attempt if there is a limit.
 */
export async function applyObject<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { ref, build, attemptsMax = Number.POSITIVE_INFINITY }: ApplyOptions<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await store.find(kind, ref);
    const content = await build(current);
    try {
      if (!current) return await store.create(kind, { ...content, metadata: ref } as NewObject<T>);
      return hasContent(current, content) ? current : await store.replace(kind, { ...current, ...content });
    } catch (error) {
      const isStale = isServiceError(error, 'conflict') || (current && isServiceError(error, 'not-found'));
      if (!isStale || attempt === attemptsMax) throw error;
    }
  }
}

type ApplyOptions<T extends StoredObject> = {
  ref: Ref;
  build: (current: T | undefined) => Content<T> | Promise<Content<T>>;
  attemptsMax?: number;
};

type Content<T extends StoredObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'>;

const hasContent = (current: object, content: object): boolean =>
  Object.entries(content).every(([field, value]) =>
    isDeepStrictEqual((current as Record<string, unknown>)[field], value),
  );
