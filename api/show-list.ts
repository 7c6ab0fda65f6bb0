import { gzipSync } from 'node:zlib';
import type { Context, TypedResponse } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import { lastHeard } from '../src/store/last-heard.ts';
import type { Store } from '../src/store/store.ts';
import type { ApiEnv } from './deps.ts';

/** Of answers that are kept, all together. */
const keptBytesMax = 64 * 1024 * 1024;
/** Below, compressing saves no packet. */
const worthCompressing = 1_400;

type Part = { kind: Kind<StoredObject>; namespace: string | undefined; stamp: unknown };
type Bytes = Uint8Array<ArrayBuffer>;
type Kept = { body: Bytes; parts: Part[]; compressed?: Bytes };

/** Answers to questions that only show what the store holds. */
export type KeptAnswers = LRUCache<string, Kept>;

export const keptAnswers = (): KeptAnswers =>
  new LRUCache({ maxSize: keptBytesMax, sizeCalculation: ({ body }) => body.length + 1 });

/**
 * Answers with what `view` makes of the store as it was last heard of. The bytes are kept for whoever asks the same in
 * the same role, until anything of a kind and namespace that they were made of has changed.
 */
export async function showList<T>(
  c: Context<ApiEnv>,
  store: Store,
  view: (heard: Store) => Promise<T>,
): Promise<TypedResponse<T, 200, 'json'>> {
  const kept = c.get('kept');
  const key = JSON.stringify([c.req.url, c.get('role') ?? c.get('caller').user]);
  const known = kept.get(key);
  if (known && isCurrent(store, known)) return again<T>(c, known);
  const parts: Part[] = [];
  const body = new TextEncoder().encode(JSON.stringify(await view(noting(lastHeard(store), parts))));
  if (parts.every(({ stamp }) => stamp !== undefined)) kept.set(key, { body, parts });
  return json<T>(c, body);
}

/** What is asked for more than once is worth compressing, once. */
function again<T>(c: Context, known: Kept): TypedResponse<T, 200, 'json'> {
  const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  if (!takesGzip || known.body.length < worthCompressing) return json<T>(c, known.body);
  known.compressed ??= gzipSync(known.body, { level: 1 });
  c.header('Content-Encoding', 'gzip');
  return json<T>(c, known.compressed);
}

function json<T>(c: Context, body: Bytes): TypedResponse<T, 200, 'json'> {
  c.header('Vary', 'Accept-Encoding');
  return c.body(body, 200, { 'Content-Type': 'application/json' }) as unknown as TypedResponse<T, 200, 'json'>;
}

const isCurrent = (store: Store, { parts }: Kept): boolean =>
  parts.every(({ kind, namespace, stamp }) => store.stamp(kind, namespace) === stamp);

/** Takes down what is read, with its stamp of before the reading. */
function noting(store: Store, parts: Part[]): Store {
  const note = (kind: Kind<StoredObject>, namespace: string | undefined): void => {
    if (!parts.some((part) => part.kind === kind && part.namespace === namespace))
      parts.push({ kind, namespace, stamp: store.stamp(kind, namespace) });
  };
  return {
    ...store,
    get: (kind, ref) => (note(kind, ref.namespace), store.get(kind, ref)),
    find: (kind, ref) => (note(kind, ref.namespace), store.find(kind, ref)),
    list: (kind, options) => (note(kind, options?.namespace), store.list(kind, options)),
  };
}
