import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import { type Position, writePageToken } from '../page-token.ts';
import { type ListOptions, type Page, type Ref, WatchExpired, type WatchEvent, type WatchOptions } from '../store.ts';
import { pauseBefore, type ApiServer } from './api-server.ts';
import { changesFrom } from './changes-from.ts';
import { deepFreeze } from './deep-freeze.ts';
import { Objects, type Otherwise } from './objects.ts';
import { readAll, type Snapshot } from './read.ts';
import { matches } from './selection.ts';

/** How far back watches can start and lists be paged from memory; what is older is asked of the API server. */
const keptChanges = 2_000;
/** After an outage, what happened meanwhile comes in one go; until then what is held is of before it. */
const settlingMs = 200;
/** A write is heard of within milliseconds; whoever waits longer is better off asking. */
const patienceMs = 500;

type Change = { version: number; type: WatchEvent<never>['type']; object: AnyObject; before: AnyObject | undefined };
type Parts = { server: ApiServer; kind: Kind<StoredObject>; closed: AbortSignal; reachable: () => boolean };

/**
 * All objects of one kind as the API server tells them: listed once, then watched. Holds the state of one version at any
 * time, and knows whether that can be relied on; what it cannot answer is the API server's to answer.
 */
export class HeardKind {
  readonly #parts: Parts;
  #objects: Objects;
  /** The changes after `#since`, in order. */
  #changes: Change[] = [];
  #since = Number.POSITIVE_INFINITY;
  #version = -1;
  #settledAt = Number.POSITIVE_INFINITY;
  /** What this process itself has written or read: a list never shows less. */
  #seen = 0;
  readonly #leaving = new Set<string>();
  /** By namespace, and under no name for all of them; dropped when something changes. */
  readonly #stamps = new Map<string, object>();
  #rung = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#objects = new Objects(parts.kind.selectable);
    parts.closed.addEventListener('abort', () => this.#ring());
    void this.#listen();
  }

  /** An object was seen at that version. */
  expect(version: string): void {
    this.#seen = Math.max(this.#seen, Number(version));
  }

  /** An object was deleted by this process. */
  expectGone(uid: string): void {
    const told = this.#changes.some(({ type, object }) => type === 'DELETED' && object.metadata.uid === uid);
    if (!told) this.#leaving.add(uid);
  }

  /** The object as last heard; undefined where the API server has to be asked. */
  async find(ref: Ref): Promise<AnyObject | undefined> {
    return (await this.#holds(this.#seen)) ? this.#given(this.#objects.find(ref)) : undefined;
  }

  /** See `Store`. */
  stamp(namespace = ''): object | undefined {
    if (!this.#parts.reachable() || !this.#has(this.#seen)) return undefined;
    const stamp = this.#stamps.get(namespace) ?? {};
    this.#stamps.set(namespace, stamp);
    return stamp;
  }

  /** A page as last heard, or of the snapshot it goes on from; undefined where the API server has to be asked. */
  async page(options: ListOptions, query: string, after?: Position): Promise<Page<AnyObject> | undefined> {
    if (!(await this.#holds(Math.max(this.#seen, after?.rv ?? 0)))) return undefined;
    const version = after?.rv ?? this.#version;
    if (version < this.#since) return undefined;
    const selected = this.#objects.select(options, after, this.#otherwiseAt(version));
    const items: AnyObject[] = [];
    for (const object of selected) {
      if (items.length === options.limit) {
        const { namespace = '', name = '' } = items.at(-1)?.metadata ?? {};
        const token = writePageToken(query, { rv: version, namespace, name });
        return { items, resourceVersion: String(version), continue: token };
      }
      items.push(this.#given(object));
    }
    return { items, resourceVersion: String(version) };
  }

  async *watch(options: WatchOptions & { ended: () => boolean }): AsyncGenerator<WatchEvent<AnyObject>> {
    const { ended, signal } = options;
    while (this.#version === -1 && !ended()) await this.#rung.promise;
    let version =
      options.resourceVersion === undefined
        ? Math.max(this.#version, this.#seen)
        : Number(options.resourceVersion || Number.NaN);
    if (Number.isNaN(version)) throw this.#expired(options.resourceVersion);
    if (version < this.#since) {
      yield* this.#askedFor({ ...options, resourceVersion: String(version) });
      return;
    }
    const ring = (): void => this.#ring();
    signal.addEventListener('abort', ring);
    try {
      while (!ended()) {
        if (version < this.#since) throw this.#expired(String(version));
        const written = this.#rung.promise;
        const changes = this.#changesAfter(version);
        for (const change of changes) {
          if (ended()) return;
          ({ version } = change);
          yield* this.#selected(change, options);
        }
        if (changes.length === 0) await written;
      }
    } finally {
      signal.removeEventListener('abort', ring);
    }
  }

  /** What happened longer ago than is held here. */
  async *#askedFor(options: WatchOptions & { resourceVersion: string }): AsyncGenerator<WatchEvent<AnyObject>> {
    const { server, kind, closed } = this.#parts;
    const signal = AbortSignal.any([options.signal, closed]);
    for await (const { type, object } of changesFrom(server, kind, { ...options, signal }))
      if (type !== 'BOOKMARK') yield { type, object };
  }

  async #listen(): Promise<void> {
    const { server, kind, closed } = this.#parts;
    for (let attempt = 0; !closed.aborted; attempt += 1) {
      try {
        const snapshot = await readAll(server, kind, {});
        this.#begin(snapshot);
        attempt = 0;
        const { resourceVersion } = snapshot;
        const heard = changesFrom(server, kind, { resourceVersion, signal: closed, listening: this.#listening });
        for await (const { type, object } of heard) this.#note(type, object);
      } catch (error) {
        if (closed.aborted) return;
        if (!(error instanceof WatchExpired)) await sleep(pauseBefore(attempt));
      }
    }
  }

  #lostAt = 0;
  readonly #listening = (listens: boolean): void => {
    const now = performance.now();
    if (!listens) {
      if (this.#settledAt !== Number.POSITIVE_INFINITY) this.#lostAt = now;
      this.#settledAt = Number.POSITIVE_INFINITY;
      return;
    }
    // API servers end each watch after a while; what is taken up again at once has missed nothing.
    this.#settledAt = now - this.#lostAt > settlingMs && this.#lostAt > 0 ? now + settlingMs : now;
    this.#ring();
  };

  #begin({ items, resourceVersion }: Snapshot): void {
    this.#stamps.clear();
    this.#objects = new Objects(this.#parts.kind.selectable);
    for (const item of items) this.#objects.put(item);
    this.#changes = [];
    this.#version = Number(resourceVersion);
    this.#since = this.#version;
    this.#lostAt = 0;
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const uid of this.#leaving) if (!there.has(uid)) this.#leaving.delete(uid);
    this.#ring();
  }

  #note(type: Change['type'] | 'BOOKMARK', object: AnyObject): void {
    const version = Number(object.metadata.resourceVersion);
    if (type !== 'BOOKMARK') {
      for (const namespace of ['', object.metadata.namespace]) this.#stamps.delete(namespace);
      this.#changes.push({ version, type, object, before: this.#objects.find(object.metadata) });
      if (type === 'DELETED') this.#objects.delete(object.metadata);
      else this.#objects.put(object);
      if (type === 'DELETED') this.#leaving.delete(object.metadata.uid);
      if (this.#changes.length > keptChanges * 2) {
        this.#since = this.#changes[keptChanges - 1]?.version ?? version;
        this.#changes = this.#changes.slice(keptChanges);
      }
    }
    this.#version = version;
    this.#ring();
  }

  #ring(): void {
    const { resolve } = this.#rung;
    this.#rung = Promise.withResolvers<void>();
    resolve();
  }

  /** Waits for what is on its way; false when that cannot be relied on. */
  async #holds(version: number): Promise<boolean> {
    if (!this.#parts.reachable()) return false;
    if (this.#has(version)) return true;
    // The first list of a large kind takes long; everybody waits for that one rather than asking for lists of their own.
    const deadline = performance.now() + (this.#version === -1 ? 30_000 : patienceMs);
    while (!this.#parts.closed.aborted && performance.now() < deadline && this.#parts.reachable()) {
      await Promise.race([this.#rung.promise, sleep(50, undefined, { ref: false })]);
      if (this.#has(version)) return true;
    }
    return false;
  }

  #has(version: number): boolean {
    return this.#version >= version && this.#leaving.size === 0 && this.#settledAt <= performance.now();
  }

  #changesAfter(version: number): Change[] {
    let first = this.#changes.length;
    while (first > 0 && (this.#changes[first - 1]?.version ?? 0) > version) first -= 1;
    return this.#changes.slice(first);
  }

  #otherwiseAt(version: number): Otherwise {
    const otherwise: Otherwise = new Map();
    for (const { object, before } of this.#changesAfter(version).toReversed()) {
      const { namespace, name } = object.metadata;
      const names = otherwise.get(namespace) ?? new Map<string, AnyObject | undefined>();
      otherwise.set(namespace, names.set(name, before));
    }
    return otherwise;
  }

  /** An object that comes to match the labels is added for the watcher, one that ceases to is deleted. */
  *#selected({ type, object, before }: Change, options: WatchOptions): Generator<WatchEvent<AnyObject>> {
    const { namespace, name } = object.metadata;
    if ((options.namespace ?? namespace) !== namespace || (options.name ?? name) !== name) return;
    const was = before !== undefined && matches(before, options);
    const is = type !== 'DELETED' && matches(object, options);
    if (was || is) yield { type: was ? (is ? 'MODIFIED' : 'DELETED') : 'ADDED', object: this.#given(object) };
  }

  /** Everybody gets the same object: whoever would write into it is told. */
  #given<T extends AnyObject | undefined>(object: T): T {
    return deepFreeze(object);
  }

  #expired(version: string | undefined): WatchExpired {
    return new WatchExpired(
      `Version ${version} of ${this.#parts.kind.plural} is not kept any more. List again and watch from there.`,
    );
  }
}
