import { isDeleting, type Kind, type StoredObject } from '../rules/resource.ts';
import type { AnyObject } from './any-object.ts';
import { assertValidObject } from './assert-valid-object.ts';
import { notFoundError, nameTakenError, staleVersionError } from './store-errors.ts';
import { listChangesAfter } from './sqlite/list-changes-after.ts';
import { openDatabase, type Database } from './sqlite/database.ts';
import { listPage } from './sqlite/list-page.ts';
import { toFirstVersion, toReplacement, withStatus } from './sqlite/next-version.ts';
import { erase, assertOwnersInNamespace, remove, removeIfOrphaned } from './sqlite/ownership.ts';
import { createSharedObjects, type SharedObjects } from './sqlite/shared-objects.ts';
import { createVersions, type Versions } from './sqlite/versions.ts';
import { createChangeNotifier, type ChangeNotifier } from './sqlite/change-notifier.ts';
import type { ListOptions, NewObject, Page, Ref, Store, WatchEvent, WatchOptions } from './store.ts';

type Parts = {
  database: Database;
  versions: Versions;
  shared: SharedObjects;
  notifier: ChangeNotifier;
  closed: AbortSignal;
};

/** Opens the store of one machine. Several processes may open the same file; every `:memory:` store is separate. */
export function openSqliteStore({ file }: { file: string }): Store {
  const database = openDatabase(file);
  const versions = createVersions(database);
  const closing = new AbortController();
  const parts: Parts = {
    database,
    versions,
    shared: createSharedObjects(database),
    notifier: createChangeNotifier(database),
    closed: closing.signal,
  };
  const current = (kind: Kind<StoredObject>, ref: Ref): AnyObject => {
    const object = versions.findCurrent(kind, ref);
    if (!object) throw notFoundError(kind, ref);
    return object;
  };

  // Callers choose the type of each kind; inside the store all objects have the type AnyObject.
  return {
    create: async <T extends StoredObject>(kind: Kind<T>, object: NewObject<T>) => create(parts, kind, object) as T,
    get: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => current(kind, ref) as T,
    find: async <T extends StoredObject>(kind: Kind<T>, ref: Ref) => versions.findCurrent(kind, ref) as T | undefined,
    list: async <T extends StoredObject>(kind: Kind<T>, options: ListOptions = {}) =>
      listPage(parts, kind, options) as Page<T>,
    replace: async <T extends StoredObject>(kind: Kind<T>, object: T) => replace(parts, kind, object) as T,

    put: async (kind, object) => put(parts, kind, object as NewObject<AnyObject>),

    updateStatus: async (kind, ref, change) =>
      writeAndNotify(parts, () => {
        const before = current(kind, ref);
        // The callback gets a copy, because it may modify its argument.
        const status = change(structuredClone(before) as never);
        const next = status === undefined ? undefined : withStatus(before, status);
        return (next ? versions.append('MODIFIED', next) : before) as never;
      }),

    restore: async <T extends StoredObject>(kind: Kind<T>, object: T) => restore(parts, kind, object) as T,

    delete: async (kind, ref, { resourceVersion } = {}) =>
      writeAndNotify(parts, () => {
        const object = current(kind, ref);
        if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
          throw staleVersionError(kind, ref);
        remove(versions, object);
      }),

    deleteNamespace: async (namespace) =>
      writeAndNotify(parts, () => {
        for (const uid of versions.listUids(namespace)) {
          // Each object is read again, because deleting an earlier one may have deleted it too.
          const object = versions.findByUid(uid);
          if (object) remove(versions, object);
        }
        return versions.listUids(namespace).map((uid) => describeObject(versions.findByUid(uid)));
      }),

    watch: <T extends StoredObject>(kind: Kind<T>, options: WatchOptions) =>
      watch(parts, kind, {
        ...options,
        resourceVersion: options.resourceVersion ?? String(versions.latestVersion()),
      }) as AsyncIterable<WatchEvent<T>>,

    revision: () => versions.latestVersion(),
    close: async () => {
      closing.abort();
      parts.notifier.close();
      database.close();
    },
  };
}

const describeObject = (object: AnyObject | undefined): string => `${object?.kind}/${object?.metadata.name}`;

function writeAndNotify<T>({ database, notifier }: Parts, work: () => T): T {
  const result = database.writeTransaction(work);
  notifier.notify();
  return result;
}

function create(parts: Parts, kind: Kind<StoredObject>, given: NewObject<AnyObject>): AnyObject {
  const { versions } = parts;
  assertValidObject(kind, given);
  return writeAndNotify(parts, () => {
    if (versions.findCurrent(kind, given.metadata)) throw nameTakenError(kind, given.metadata);
    const object = toFirstVersion(kind, given);
    assertOwnersInNamespace(versions, object);
    const stored = versions.append('ADDED', object);
    removeIfOrphaned(versions, stored);
    return stored;
  });
}

function replace(parts: Parts, kind: Kind<StoredObject>, given: AnyObject): AnyObject {
  const { versions } = parts;
  assertValidObject(kind, given);
  return writeAndNotify(parts, () => {
    const before = versions.findCurrent(kind, given.metadata);
    if (!before) throw notFoundError(kind, given.metadata);
    if (before.metadata.resourceVersion !== given.metadata.resourceVersion)
      throw staleVersionError(kind, given.metadata);
    const next = toReplacement(before, given);
    if (!next) return before;
    if (next.metadata.deletionTimestamp !== undefined && next.metadata.finalizers === undefined) {
      erase(versions, next);
      return next;
    }
    assertOwnersInNamespace(versions, next);
    const stored = versions.append('MODIFIED', next);
    removeIfOrphaned(versions, stored);
    return stored;
  });
}

function put(parts: Parts, kind: Kind<StoredObject>, given: NewObject<AnyObject>): void {
  assertValidObject(kind, given);
  writeAndNotify(parts, () => {
    const before = parts.versions.findCurrent(kind, given.metadata);
    const first = toFirstVersion(kind, given);
    const next = before ? toReplacement(before, first) : first;
    if (!next) return;
    assertOwnersInNamespace(parts.versions, next);
    removeIfOrphaned(parts.versions, parts.versions.append(before ? 'MODIFIED' : 'ADDED', next));
  });
}

function restore(parts: Parts, kind: Kind<StoredObject>, given: AnyObject): AnyObject {
  const { versions } = parts;
  assertValidObject(kind, given);
  return writeAndNotify(parts, () => {
    if (versions.findCurrent(kind, given.metadata)) throw nameTakenError(kind, given.metadata);
    assertOwnersInNamespace(versions, given);
    const restored = versions.append('ADDED', given);
    // A cluster keeps some objects for a while, such as Namespaces, without a finalizer.
    if (isDeleting(given) && given.metadata.finalizers === undefined) erase(versions, restored);
    return restored;
  });
}

type StartedWatch = WatchOptions & { resourceVersion: string };

async function* watch(
  parts: Parts,
  kind: Kind<StoredObject>,
  options: StartedWatch,
): AsyncGenerator<WatchEvent<AnyObject>> {
  const { notifier, closed } = parts;
  const { signal } = options;
  const ended = (): boolean => signal.aborted || closed.aborted;
  if (ended()) return;
  const unsubscribe = notifier.subscribe();
  signal.addEventListener('abort', notifier.notify);
  try {
    let version = Number(options.resourceVersion || Number.NaN);
    while (!ended()) {
      const written = notifier.nextChange();
      const { events, upTo } = listChangesAfter(parts, kind, { ...options, version });
      yield* takeUnlessEnded(ended, events);
      // The watch reads again without waiting until it has caught up.
      if (upTo === version) await written;
      version = upTo;
    }
  } finally {
    signal.removeEventListener('abort', notifier.notify);
    unsubscribe();
  }
}

function* takeUnlessEnded<T>(ended: () => boolean, items: T[]): Generator<T> {
  for (const item of items) {
    if (ended()) return;
    yield item;
  }
}
