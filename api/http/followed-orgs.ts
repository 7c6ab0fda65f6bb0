import { LRUCache } from 'lru-cache';
import type { ApiDeps } from '../deps.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { listAndWatch, type Listed } from '../../src/store/list-and-watch.ts';
import type { Store, WatchEvent } from '../../src/store/store.ts';

/** A page is parsed without a pause; other requests are answered between the pages. */
const pageSize = 500;
/** Bounds the memory of all orgs of an index together: a record takes a few hundred bytes. */
const recordsMax = 1_000_000;

export type FollowScope = { store: Store; namespace: string; signal: AbortSignal; onEnd: () => void };
type Deps = Pick<ApiDeps, 'store' | 'shutdownSignal'>;
type Followed<T> = { records: T; isCurrent: boolean; end: AbortController };

/**
 * Keeps in memory what views need of an org that has too many objects to read them for a request. The first request
 * after the start of a process, or after a long absence, reads the store; watches keep what was read current.
 */
export class FollowedOrgs<T extends { readonly size: number }> {
  readonly #deps: Deps;
  readonly #open: (scope: FollowScope) => Promise<T>;
  readonly #orgs = new LRUCache<string, Followed<T>>({
    maxSize: recordsMax,
    sizeCalculation: ({ records }) => records.size + 1,
    dispose: ({ end }) => end.abort(),
  });
  readonly #loading = new Map<string, Promise<Followed<T>>>();

  constructor(deps: Deps, open: (scope: FollowScope) => Promise<T>) {
    this.#deps = deps;
    this.#open = open;
  }

  /** Returns the records of an org as they are now; they may lag some milliseconds behind other processes. */
  async read(namespace: string): Promise<T> {
    const known = this.#orgs.get(namespace);
    if (known?.isCurrent) return known.records;
    const loading = this.#loading.get(namespace) ?? this.#load(namespace);
    this.#loading.set(namespace, loading);
    try {
      return (await loading).records;
    } finally {
      this.#loading.delete(namespace);
    }
  }

  async #load(namespace: string): Promise<Followed<T>> {
    const { store, shutdownSignal } = this.#deps;
    const end = new AbortController();
    const signal = shutdownSignal ? AbortSignal.any([shutdownSignal, end.signal]) : end.signal;
    let followed: Followed<T> | undefined;
    let hasEnded = false;
    const onEnd = (): void => {
      hasEnded = true;
      if (followed) followed.isCurrent = false;
      end.abort();
    };
    try {
      const records = await this.#open({ store, namespace, signal, onEnd });
      followed = { records, isCurrent: !hasEnded, end };
      if (records.size < recordsMax) this.#orgs.set(namespace, followed);
      else end.abort();
      return followed;
    } catch (error) {
      end.abort();
      throw error;
    }
  }
}

export type FollowedKind<T extends StoredObject, R> = {
  kind: Kind<T>;
  /** The records by the names of their objects. */
  into: Map<string, R>;
  /** Returns undefined for an object that is not kept. */
  toRecord: (object: T) => R | undefined;
  /** Called with the record that was added, replaced or removed, or without one when all may have changed. */
  onChange?: (record?: R) => void;
};

/** Reads all objects of a kind into records and keeps them current. Resolves when all are read. */
export async function followKind<T extends StoredObject, R>(
  { kind, into, toRecord, onChange }: FollowedKind<T, R>,
  { store, namespace, signal, onEnd }: FollowScope,
): Promise<void> {
  const update = (object: T, isDeleted: boolean): void => {
    const { name } = object.metadata;
    const before = into.get(name);
    const record = isDeleted ? undefined : toRecord(object);
    if (record) into.set(name, record);
    else into.delete(name);
    const changed = record ?? before;
    if (changed) onChange?.(changed);
  };
  const apply = (event: Listed<[string, R]> | WatchEvent<T>): void => {
    if (event.type !== 'LISTED') return update(event.object, event.type === 'DELETED');
    into.clear();
    for (const [name, record] of event.items) into.set(name, record);
    onChange?.();
  };
  const events = listAndWatch<[string, R], WatchEvent<T>>({
    signal,
    list: async () => await listRecords(store, namespace, { kind, toRecord }),
    watch: (resourceVersion) => store.watch(kind, { namespace, resourceVersion, signal }),
  });
  const first = await events.next();
  if (first.done) throw new Error(`The watch of ${kind.plural} ended before it began.`);
  apply(first.value);
  // A watch may fail for any reason, such as an outage of the store; the next request reads everything again.
  void (async () => {
    for await (const event of events) apply(event);
  })()
    .catch(() => undefined)
    .finally(onEnd);
}

/** Converts page by page, so that the objects of a large org are never all in memory. */
async function listRecords<T extends StoredObject, R>(
  store: Store,
  namespace: string,
  { kind, toRecord }: Pick<FollowedKind<T, R>, 'kind' | 'toRecord'>,
): Promise<{ items: [string, R][]; resourceVersion: string }> {
  const items: [string, R][] = [];
  const options = { namespace, limit: pageSize, consistency: 'cached' } as const;
  let page = await store.list(kind, options);
  const { resourceVersion } = page;
  for (;;) {
    for (const object of page.items) {
      const record = toRecord(object);
      if (record) items.push([object.metadata.name, record]);
    }
    if (page.continue === undefined) return { items, resourceVersion };
    page = await store.list(kind, { ...options, continue: page.continue });
  }
}
