import { gzipSync } from 'node:zlib';
import type { Context, MiddlewareHandler, TypedResponse } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import { lastHeard } from '../src/store/last-heard.ts';
import type { Store } from '../src/store/store.ts';
import type { ApiEnv } from './deps.ts';
import { wantsToFollow } from './follow.ts';

/** Of answers that are kept, all together. */
const keptBytesMax = 64 * 1024 * 1024;
/** Below, compressing saves no packet. */
const worthCompressing = 1_400;

type Part = { kind: Kind<StoredObject>; namespace: string | undefined; stamp: unknown };
type Bytes = Uint8Array<ArrayBuffer>;
type Kept = { body: Bytes; parts: Part[]; compressed?: Bytes };

/** Answers to questions that only show what the store holds, until anything that they were made of has changed. */
export class KeptAnswers {
  readonly #store: Store;
  readonly #all = new LRUCache<string, Kept>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ body }) => body.length + 1,
  });
  readonly #making = new Map<string, { parts: Part[]; answer: Promise<Kept> }>();

  constructor(store: Store) {
    this.#store = store;
  }

  find(key: string): Kept | undefined {
    const known = this.#all.get(key);
    return known && this.#isCurrent(known.parts) ? known : undefined;
  }

  /** Makes an answer, once for all who ask while nothing that went into it so far has changed. */
  async make(key: string, view: (heard: Store) => Promise<unknown>): Promise<Kept> {
    const started = this.#making.get(key);
    if (started && this.#isCurrent(started.parts)) return await started.answer;
    const parts: Part[] = [];
    const make = async (): Promise<Kept> => {
      const body = new TextEncoder().encode(JSON.stringify(await view(noting(lastHeard(this.#store), parts))));
      return { body, parts };
    };
    const making = { parts, answer: make() };
    this.#making.set(key, making);
    try {
      const answer = await making.answer;
      if (this.#isCurrent(parts)) this.#all.set(key, answer);
      return answer;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  #isCurrent(parts: Part[]): boolean {
    return parts.every(
      ({ kind, namespace, stamp }) => stamp !== undefined && this.#store.stamp(kind, namespace) === stamp,
    );
  }
}

/** Answers a caller who has been admitted with what is kept for whoever asks the same in the same role. */
export const answerAgain: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const isShown = c.req.method === 'GET' && !wantsToFollow(c);
  const known = isShown ? c.get('kept').find(keyOf(c)) : undefined;
  return known ? again(c, known) : await next();
};

/** Answers with what `view` makes of the store as it was last heard of, and keeps the bytes. */
export async function showList<T>(
  c: Context<ApiEnv>,
  view: (heard: Store) => Promise<T>,
): Promise<TypedResponse<T, 200, 'json'>> {
  const { body } = await c.get('kept').make(keyOf(c), view);
  return json(c, body) as unknown as TypedResponse<T, 200, 'json'>;
}

const keyOf = (c: Context<ApiEnv>): string => `${c.get('role') ?? c.get('caller').user} ${c.req.url}`;

/** What is asked for more than once is worth compressing, once. */
function again(c: Context<ApiEnv>, known: Kept): Response {
  const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  if (!takesGzip || known.body.length < worthCompressing) return json(c, known.body);
  known.compressed ??= gzipSync(known.body, { level: 1 });
  return json(c, known.compressed, { 'Content-Encoding': 'gzip' });
}

function json(c: Context<ApiEnv>, body: Bytes, more: Record<string, string> = {}): Response {
  c.set('hasUsualHeaders', true);
  const about = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
  return new Response(body, { headers: { ...c.get('usualHeaders'), ...about, ...more } });
}

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
