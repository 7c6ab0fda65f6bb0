import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../rules/resource.ts';
import { WatchExpiredError, type Store, type WatchEvent } from './store.ts';

/** Later readers can start this many changes back. */
const historyChangesMax = 256;
const retryDelayMs = 1_000;

export type WatchListener = {
  onChange: (event: WatchEvent<StoredObject>) => void;
  /** Changes may have been missed; all later ones are reported. */
  onExpired?: () => void;
};
type Subscription = {
  /** Resolves when every later change is reported. */
  ready: Promise<void>;
  close: () => void;
};
type SubscribeOptions = WatchListener & {
  /** All namespaces when absent. */
  namespace?: string;
  name?: string | undefined;
  /** A version to start from, if no other reader has started the watch yet. */
  resourceVersion?: string | undefined;
};

/** Shares one watch of a kind between any number of readers, because a watch per reader would read each change again. */
export class SharedWatches {
  readonly #feeds = new Map<string, Feed>();
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;

  constructor(store: Store, onError: (error: unknown) => void = () => {}) {
    this.#store = store;
    this.#onError = onError;
  }

  subscribe(
    kind: Kind<StoredObject>,
    { namespace, name, resourceVersion, ...listener }: SubscribeOptions,
  ): Subscription {
    const feed = this.#feeds.get(kind.plural) ?? this.#start(kind, resourceVersion);
    const key = toKey(namespace, name);
    feed.add(key, listener);
    const close = (): void => {
      feed.remove(key, listener);
      if (!feed.isEmpty) return;
      feed.stop();
      if (this.#feeds.get(kind.plural) === feed) this.#feeds.delete(kind.plural);
    };
    return { ready: feed.started, close };
  }

  /** The version of the last reported change of a kind. */
  version(kind: Kind<StoredObject>): string | undefined {
    return this.#feeds.get(kind.plural)?.version;
  }

  /** Returns the changes of a kind after a version, or undefined when some of them are no longer kept. */
  changesAfter(kind: Kind<StoredObject>, version: string): WatchEvent<StoredObject>[] | undefined {
    return this.#feeds.get(kind.plural)?.changesAfter(Number(version));
  }

  #start(kind: Kind<StoredObject>, resourceVersion: string | undefined): Feed {
    const feed = new Feed(this.#store, { kind, resourceVersion, onError: this.#onError });
    this.#feeds.set(kind.plural, feed);
    return feed;
  }
}

const toKey = (namespace = '', name = ''): string => `${namespace}/${name}`;

type FeedOptions = { kind: Kind<StoredObject>; resourceVersion: string | undefined; onError: (error: unknown) => void };

class Feed {
  version: string | undefined;
  readonly started: Promise<void>;
  readonly #listeners = new Map<string, Set<WatchListener>>();
  readonly #controller = new AbortController();
  #changes: WatchEvent<StoredObject>[] = [];
  #historyStart = Number.NaN;

  constructor(store: Store, { kind, resourceVersion, onError }: FeedOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.started = promise;
    if (resourceVersion !== undefined) this.#begin(resourceVersion, resolve);
    void this.#run(store, kind, { onStarted: resolve, onError }).finally(resolve);
  }

  add(key: string, listener: WatchListener): void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
  }

  remove(key: string, listener: WatchListener): void {
    const listeners = this.#listeners.get(key);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(key);
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  stop(): void {
    this.#controller.abort();
  }

  changesAfter(version: number): WatchEvent<StoredObject>[] | undefined {
    if (!(version >= this.#historyStart && version <= Number(this.version))) return undefined;
    return this.#changes.filter(({ object }) => Number(object.metadata.resourceVersion) > version);
  }

  async #run(
    store: Store,
    kind: Kind<StoredObject>,
    { onStarted, onError }: { onStarted: () => void; onError: (error: unknown) => void },
  ): Promise<void> {
    const { signal } = this.#controller;
    let hasExpired = false;
    while (!signal.aborted) {
      try {
        if (this.version === undefined) {
          const { resourceVersion } = await store.list(kind, { limit: 1, consistency: 'cached' });
          this.#begin(resourceVersion, onStarted);
        }
        // Every change after what a reader lists from now on is reported.
        if (hasExpired) this.#reportExpiry();
        hasExpired = false;
        for await (const event of store.watch(kind, { signal, resourceVersion: this.version ?? '' }))
          this.#report(event);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof WatchExpiredError) {
          hasExpired = true;
          this.version = undefined;
          this.#changes = [];
        } else {
          onError(error);
          await sleep(retryDelayMs, undefined, { signal }).catch(() => undefined);
        }
      }
    }
  }

  #begin(version: string, onStarted: () => void): void {
    this.version = version;
    this.#historyStart = Number(version);
    onStarted();
  }

  #reportExpiry(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.onExpired?.();
  }

  #report(event: WatchEvent<StoredObject>): void {
    const { namespace, name, resourceVersion } = event.object.metadata;
    this.version = resourceVersion;
    this.#changes.push(event);
    if (this.#changes.length > historyChangesMax * 2) {
      this.#changes = this.#changes.slice(historyChangesMax);
      this.#historyStart = Number(this.#changes[0]?.object.metadata.resourceVersion);
    }
    for (const key of [toKey(namespace, name), toKey(namespace), toKey()])
      for (const listener of this.#listeners.get(key) ?? []) listener.onChange(event);
  }
}
