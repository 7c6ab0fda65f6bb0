import { LRUCache } from 'lru-cache';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { Representation } from './representation.ts';

/** Bounds the memory of all cached responses together. */
const cacheBytesMax = 64 * 1024 * 1024;
/** The memory of a cached response without its body and its key. */
const entryBytes = 1024;

type Dependency = { kind: Kind<StoredObject>; namespace: string | undefined; revision: unknown };
export type CachedResponse = { representation: Representation; dependencies: Dependency[] };

/** Caches responses that are computed from the store alone, until one of the kinds that they were read from changes. */
export class ResponseCache {
  readonly #store: Store;
  readonly #responses = new LRUCache<string, CachedResponse>({
    maxSize: cacheBytesMax,
    // The compressed forms, which are made later, are a fraction of the body. The key contains the URL, which a caller can
    // write in any number of long ways.
    sizeCalculation: ({ representation: { body } }, key) => Math.ceil(body.length * 1.5) + key.length + entryBytes,
  });
  readonly #pending = new Map<string, { dependencies: Dependency[]; response: Promise<CachedResponse> }>();

  constructor(store: Store) {
    this.#store = store;
  }

  find(key: string): CachedResponse | undefined {
    const cached = this.#responses.get(key);
    return cached && this.#isCurrent(cached.dependencies) ? cached : undefined;
  }

  /** Computes a response once for all concurrent requests, as long as nothing that was read for it has changed. */
  async compute(key: string, createView: (reads: Store) => Promise<unknown>): Promise<CachedResponse> {
    const pending = this.#pending.get(key);
    if (pending && this.#isCurrent(pending.dependencies)) return await pending.response;
    const dependencies: Dependency[] = [];
    const render = async (): Promise<CachedResponse> => {
      const view = await createView(trackReads(cachedReads(this.#store), dependencies));
      const body = new TextEncoder().encode(JSON.stringify(view));
      return { representation: new Representation(body, { type: 'application/json' }), dependencies };
    };
    const computation = { dependencies, response: render() };
    this.#pending.set(key, computation);
    try {
      const response = await computation.response;
      if (this.#isCurrent(dependencies)) this.#responses.set(key, response);
      return response;
    } finally {
      if (this.#pending.get(key) === computation) this.#pending.delete(key);
    }
  }

  #isCurrent(dependencies: Dependency[]): boolean {
    return dependencies.every(
      ({ kind, namespace, revision }) => revision !== undefined && this.#store.revision(kind, namespace) === revision,
    );
  }
}

/** Records every kind and namespace that is read, with its revision from before the read. */
function trackReads(store: Store, dependencies: Dependency[]): Store {
  const track = (kind: Kind<StoredObject>, namespace: string | undefined): void => {
    if (!dependencies.some((dependency) => dependency.kind === kind && dependency.namespace === namespace))
      dependencies.push({ kind, namespace, revision: store.revision(kind, namespace) });
  };
  return {
    ...store,
    get: (kind, ref) => (track(kind, ref.namespace), store.get(kind, ref)),
    find: (kind, ref) => (track(kind, ref.namespace), store.find(kind, ref)),
    list: (kind, options) => (track(kind, options?.namespace), store.list(kind, options)),
  };
}
