import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, Metadata, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import { type PagePosition, encodePageToken } from '../page-token.ts';
import {
  type ListOptions,
  type Page,
  type Ref,
  WatchExpiredError,
  type WatchEvent,
  type WatchOptions,
} from '../store.ts';
import { toBackoffMs, type ApiServer } from './api-server.ts';
import { watchChanges, type WatchedChange } from './watch-changes.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { ObjectIndex, type Overrides } from './object-index.ts';
import { readAll, readVersion, type Snapshot } from './read.ts';
import { listAndWatch } from '../list-and-watch.ts';
import { matches } from './selection.ts';

/** Watches and pages can start this many changes back in memory; older versions are read from the API server. */
const historyChangesMax = 2_000;
/** Bounds the memory of these changes: of large objects, fewer are kept. */
const historyTextMax = 32 * 1024 * 1024;
/** After an outage the missed changes arrive in one batch; until then the cache is stale. */
const resyncGraceMs = 200;
/** A write arrives within milliseconds; after a longer wait, the API server answers faster. */
const waitTimeoutMs = 500;

type Change = {
  version: number;
  type: WatchEvent<never>['type'];
  object: AnyObject;
  before: AnyObject | undefined;
  textLength: number;
};
type Parts = { server: ApiServer; kind: Kind<StoredObject>; closed: AbortSignal; reachable: () => boolean };

/**
 * Caches all objects of one kind: it lists them once, then watches. The cache is the state of one version, and every read
 * returns undefined while that state may be stale, so that the caller asks the API server instead.
 */
export class Informer {
  readonly #parts: Parts;
  #objects: ObjectIndex;
  /** The changes after `#historyStart`, in order. */
  #changes: Change[] = [];
  #changesTextLength = 0;
  #historyStart = Number.POSITIVE_INFINITY;
  #version = -1;
  #consistentAt = Number.POSITIVE_INFINITY;
  /** The newest version that this process wrote or read; reads never return an older state. */
  #expectedVersion = 0;
  readonly #deleting = new Set<string>();
  /** Revisions by namespace, with the empty name for all namespaces; a change deletes them. */
  readonly #revisions = new Map<string, object>();
  #changed = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#objects = new ObjectIndex(parts.kind.selectableFields);
    parts.closed.addEventListener('abort', () => this.#notifyChanged());
    void this.#run();
  }

  expectVersion(version: string): void {
    this.#expectedVersion = Math.max(this.#expectedVersion, Number(version));
  }

  /** Takes the metadata of the last version before the deletion. */
  expectDeletion({ uid, namespace, name, resourceVersion }: Metadata): void {
    const isSeen =
      this.#version >= Number(resourceVersion) && this.#objects.find({ namespace, name })?.metadata.uid !== uid;
    if (!isSeen) this.#deleting.add(uid);
  }

  async find(ref: Ref): Promise<AnyObject | undefined> {
    return (await this.#waitForVersion(this.#expectedVersion)) ? this.#frozen(this.#objects.find(ref)) : undefined;
  }

  /** Implements `Store.revision`. */
  revision(namespace = ''): object | undefined {
    if (!this.#parts.reachable() || !this.#hasVersion(this.#expectedVersion)) return undefined;
    const revision = this.#revisions.get(namespace) ?? {};
    this.#revisions.set(namespace, revision);
    return revision;
  }

  /** Returns the first page of the current state, or the next page of the snapshot of `after`. */
  async listPage(options: ListOptions, query: string, after?: PagePosition): Promise<Page<AnyObject> | undefined> {
    if (!(await this.#waitForVersion(Math.max(this.#expectedVersion, after?.version ?? 0)))) return undefined;
    const version = after?.version ?? this.#version;
    if (version < this.#historyStart) return undefined;
    const selected = this.#objects.select(options, after, this.#overridesAt(version));
    const items: AnyObject[] = [];
    for (const object of selected) {
      if (items.length === options.limit) {
        const { namespace = '', name = '' } = items.at(-1)?.metadata ?? {};
        const token = encodePageToken(query, { version, namespace, name });
        return { items, resourceVersion: String(version), continue: token };
      }
      items.push(this.#frozen(object));
    }
    return { items, resourceVersion: String(version) };
  }

  async *watch(options: WatchOptions & { ended: () => boolean }): AsyncGenerator<WatchEvent<AnyObject>> {
    const { ended, signal } = options;
    while (this.#version === -1 && !ended()) await this.#changed.promise;
    let version =
      options.resourceVersion === undefined
        ? Math.max(this.#version, this.#expectedVersion)
        : Number(options.resourceVersion || Number.NaN);
    if (Number.isNaN(version) || (options.resourceVersion !== undefined && (await this.#isUnknown(version))))
      throw this.#expiredError(options.resourceVersion);
    if (version < this.#historyStart) {
      yield* this.#watchServer({ ...options, resourceVersion: String(version) });
      return;
    }
    const wake = (): void => this.#notifyChanged();
    signal.addEventListener('abort', wake);
    try {
      while (!ended()) {
        if (version < this.#historyStart) throw this.#expiredError(String(version));
        const nextChange = this.#changed.promise;
        const changes = this.#changesAfter(version);
        for (const change of changes) {
          if (ended()) return;
          ({ version } = change);
          yield* this.#toEvents(change, options);
        }
        if (changes.length === 0) await nextChange;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** No change follows a version that the cluster has not reached: it is of another cluster, or a client made it up. */
  async #isUnknown(version: number): Promise<boolean> {
    if (version <= this.#version) return false;
    const { server, kind } = this.#parts;
    return version > (await readVersion(server, kind));
  }

  /** Watches through the API server, which keeps older versions than this cache. */
  async *#watchServer(options: WatchOptions & { resourceVersion: string }): AsyncGenerator<WatchEvent<AnyObject>> {
    const { server, kind, closed } = this.#parts;
    const signal = AbortSignal.any([options.signal, closed]);
    for await (const { type, object } of watchChanges(server, kind, { ...options, signal }))
      if (type !== 'BOOKMARK') yield { type, object };
  }

  async #run(): Promise<void> {
    const { server, kind, closed } = this.#parts;
    for (let attempt = 0; !closed.aborted; attempt += 1) {
      try {
        const events = listAndWatch({
          signal: closed,
          list: () => readAll(server, kind, {}),
          watch: (resourceVersion) =>
            watchChanges(server, kind, {
              resourceVersion,
              signal: closed,
              onConnectionChange: this.#onConnectionChange,
            }),
        });
        for await (const event of events) {
          attempt = 0;
          if (event.type === 'LISTED') this.#reset(event);
          else this.#applyChange(event);
        }
      } catch {
        if (!closed.aborted) await sleep(toBackoffMs(attempt));
      }
    }
  }

  #disconnectedAt = 0;
  readonly #onConnectionChange = (isConnected: boolean): void => {
    const now = performance.now();
    if (!isConnected) {
      if (this.#consistentAt !== Number.POSITIVE_INFINITY) this.#disconnectedAt = now;
      this.#consistentAt = Number.POSITIVE_INFINITY;
      return;
    }
    // API servers end every watch after a while; a watch that reconnects immediately has missed nothing.
    this.#consistentAt =
      now - this.#disconnectedAt > resyncGraceMs && this.#disconnectedAt > 0 ? now + resyncGraceMs : now;
    this.#notifyChanged();
  };

  #reset({ items, resourceVersion }: Snapshot): void {
    this.#revisions.clear();
    this.#objects = new ObjectIndex(this.#parts.kind.selectableFields);
    for (const item of items) this.#objects.put(item);
    this.#changes = [];
    this.#changesTextLength = 0;
    this.#version = Number(resourceVersion);
    this.#historyStart = this.#version;
    this.#disconnectedAt = 0;
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    for (const uid of this.#deleting) if (!present.has(uid)) this.#deleting.delete(uid);
    this.#notifyChanged();
  }

  #applyChange({ type, object, textLength }: WatchedChange): void {
    const version = Number(object.metadata.resourceVersion);
    if (type !== 'BOOKMARK') {
      for (const namespace of ['', object.metadata.namespace]) this.#revisions.delete(namespace);
      this.#changes.push({ version, type, object, before: this.#objects.find(object.metadata), textLength });
      this.#changesTextLength += textLength;
      if (type === 'DELETED') this.#objects.delete(object.metadata);
      else this.#objects.put(object);
      if (type === 'DELETED') this.#deleting.delete(object.metadata.uid);
      if (this.#changes.length > historyChangesMax * 2 || this.#changesTextLength > historyTextMax) this.#forgetHalf();
    }
    this.#version = version;
    this.#notifyChanged();
  }

  #forgetHalf(): void {
    const forgotten = this.#changes.splice(0, Math.floor(this.#changes.length / 2));
    this.#historyStart = forgotten.at(-1)?.version ?? this.#historyStart;
    for (const { textLength } of forgotten) this.#changesTextLength -= textLength;
  }

  #notifyChanged(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  /** Waits until the cache has the version. Returns false when it may stay stale. */
  async #waitForVersion(version: number): Promise<boolean> {
    if (!this.#parts.reachable()) return false;
    if (this.#hasVersion(version)) return true;
    // The first list of a large kind takes long, but a separate list per reader would take even longer.
    const deadline = performance.now() + (this.#version === -1 ? 30_000 : waitTimeoutMs);
    while (!this.#parts.closed.aborted && performance.now() < deadline && this.#parts.reachable()) {
      await Promise.race([this.#changed.promise, sleep(50, undefined, { ref: false })]);
      if (this.#hasVersion(version)) return true;
    }
    return false;
  }

  #hasVersion(version: number): boolean {
    return this.#version >= version && this.#deleting.size === 0 && this.#consistentAt <= performance.now();
  }

  #changesAfter(version: number): Change[] {
    let first = this.#changes.length;
    while (first > 0 && (this.#changes[first - 1]?.version ?? 0) > version) first -= 1;
    return this.#changes.slice(first);
  }

  #overridesAt(version: number): Overrides {
    const overrides: Overrides = new Map();
    for (const { object, before } of this.#changesAfter(version).toReversed()) {
      const { namespace, name } = object.metadata;
      const names = overrides.get(namespace) ?? new Map<string, AnyObject | undefined>();
      overrides.set(namespace, names.set(name, before));
    }
    return overrides;
  }

  /** An object that starts to match the labels is reported as added, and one that stops matching as deleted. */
  *#toEvents({ type, object, before }: Change, options: WatchOptions): Generator<WatchEvent<AnyObject>> {
    const { namespace, name } = object.metadata;
    if ((options.namespace ?? namespace) !== namespace || (options.name ?? name) !== name) return;
    const matchedBefore = before !== undefined && matches(before, options);
    const matchesNow = type !== 'DELETED' && matches(object, options);
    if (!matchedBefore && !matchesNow) return;
    const eventType = matchedBefore ? (matchesNow ? 'MODIFIED' : 'DELETED') : 'ADDED';
    yield { type: eventType, object: this.#frozen(object) };
  }

  /** All readers share one object, so writing to it must throw. */
  #frozen<T extends AnyObject | undefined>(object: T): T {
    return deepFreeze(object);
  }

  #expiredError(version: string | undefined): WatchExpiredError {
    return new WatchExpiredError(
      `Version ${version} of ${this.#parts.kind.plural} is no longer kept. List again and watch from the new version.`,
    );
  }
}
