import type { Kind, StoredObject } from '../rules/resource.ts';
import type { AnyObject } from './any-object.ts';
import { checkObject } from './check-object.ts';
import { missing, nameTaken, stale } from './refusals.ts';
import { changesAfter } from './sqlite/changes.ts';
import { openDatabase, type Database } from './sqlite/database.ts';
import { listPage } from './sqlite/list-page.ts';
import { firstVersion, replacement, withStatus } from './sqlite/next-version.ts';
import { erase, refuseOwnerElsewhere, remove, removeIfOrphaned } from './sqlite/ownership.ts';
import { createVersions, type Versions } from './sqlite/versions.ts';
import { createWakeUp, type WakeUp } from './sqlite/wake-up.ts';
import type { ListOptions, New, Page, Ref, Store, WatchEvent, WatchOptions } from './store.ts';

type Parts = { database: Database; versions: Versions; wakeUp: WakeUp; closed: AbortSignal };

/** The store of one machine: any number of its processes may open the same file. `:memory:` is a store of its own. */
export function openSqliteStore({ file }: { file: string }): Store {
  const database = openDatabase(file);
  const versions = createVersions(database);
  const closing = new AbortController();
  const parts: Parts = { database, versions, wakeUp: createWakeUp(database), closed: closing.signal };
  const current = (kind: Kind<StoredObject>, ref: Ref): AnyObject => {
    const object = versions.current(kind, ref);
    if (!object) throw missing(kind, ref);
    return object;
  };

  // The types of the interface are the callers' word for what lies in the store; from here on they are one.
  return {
    create: async <T extends StoredObject>(kind: Kind<T>, object: New<T>) => create(parts, kind, object) as T,
    get: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => current(kind, ref) as T,
    find: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => versions.current(kind, ref) as T | undefined,
    list: async <T extends StoredObject>(kind: Kind<T>, options: ListOptions = {}) =>
      listPage(parts, kind, options) as Page<T>,
    replace: async <T extends StoredObject>(kind: Kind<T>, object: T) => replace(parts, kind, object) as T,

    updateStatus: async (kind, ref, change) =>
      writing(parts, () => {
        const before = current(kind, ref);
        // A copy of its own, since a change may write into what it is given.
        const status = change(structuredClone(before) as never);
        const next = status === undefined ? undefined : withStatus(before, status);
        return (next ? versions.put('MODIFIED', next) : before) as never;
      }),

    delete: async (kind, ref, { resourceVersion } = {}) =>
      writing(parts, () => {
        const object = current(kind, ref);
        if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
          throw stale(kind, ref);
        remove(versions, object);
      }),

    watch: <T extends StoredObject>(kind: Kind<T>, options: WatchOptions) =>
      watch(parts, kind, {
        ...options,
        resourceVersion: options.resourceVersion ?? String(versions.latest()),
      }) as AsyncIterable<WatchEvent<T>>,

    stamp: () => versions.latest(),
    close: async () => {
      closing.abort();
      parts.wakeUp.close();
      database.close();
    },
  };
}

function writing<T>({ database, wakeUp }: Parts, work: () => T): T {
  const result = database.write(work);
  wakeUp.ring();
  return result;
}

function create(parts: Parts, kind: Kind<StoredObject>, given: New<AnyObject>): AnyObject {
  const { versions } = parts;
  checkObject(kind, given);
  return writing(parts, () => {
    if (versions.current(kind, given.metadata)) throw nameTaken(kind, given.metadata);
    const object = firstVersion(kind, given);
    refuseOwnerElsewhere(versions, object);
    const stored = versions.put('ADDED', object);
    removeIfOrphaned(versions, stored);
    return stored;
  });
}

function replace(parts: Parts, kind: Kind<StoredObject>, given: AnyObject): AnyObject {
  const { versions } = parts;
  checkObject(kind, given);
  return writing(parts, () => {
    const before = versions.current(kind, given.metadata);
    if (!before) throw missing(kind, given.metadata);
    if (before.metadata.resourceVersion !== given.metadata.resourceVersion) throw stale(kind, given.metadata);
    const next = replacement(before, given);
    if (!next) return before;
    if (next.metadata.deletionTimestamp !== undefined && next.metadata.finalizers === undefined) {
      erase(versions, next);
      return next;
    }
    refuseOwnerElsewhere(versions, next);
    const stored = versions.put('MODIFIED', next);
    removeIfOrphaned(versions, stored);
    return stored;
  });
}

type Started = WatchOptions & { resourceVersion: string };

async function* watch(parts: Parts, kind: Kind<StoredObject>, options: Started): AsyncGenerator<WatchEvent<AnyObject>> {
  const { wakeUp, closed } = parts;
  const { signal } = options;
  const ended = (): boolean => signal.aborted || closed.aborted;
  if (ended()) return;
  const leave = wakeUp.join();
  signal.addEventListener('abort', wakeUp.ring);
  try {
    let version = Number(options.resourceVersion || Number.NaN);
    while (!ended()) {
      const written = wakeUp.next();
      const { events, upTo } = changesAfter(parts, kind, { ...options, version });
      yield* whileNot(ended, events);
      // What was written in the meantime is read at once; only when nothing is left does the watch sleep.
      if (upTo === version) await written;
      version = upTo;
    }
  } finally {
    signal.removeEventListener('abort', wakeUp.ring);
    leave();
  }
}

function* whileNot<T>(ended: () => boolean, items: T[]): Generator<T> {
  for (const item of items) {
    if (ended()) return;
    yield item;
  }
}
