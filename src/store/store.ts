import type { Kind, Metadata, StoredObject } from '../rules/resource.ts';

/** The namespace and name of one object. */
export type Ref = { namespace: string; name: string };

/** The input of `create`. The store fills in uid, versions and times. */
export type NewObject<T extends StoredObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  metadata: Ref & Partial<Pick<Metadata, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>>;
};

export type ReadOptions = {
  /**
   * `cached` answers may lag some milliseconds behind the writes of other processes, but always include what this
   * process wrote or read. Use them for views, never for decisions. The default is `strong`.
   */
  consistency?: 'cached' | 'strong';
};

export type ListOptions = ReadOptions & {
  /** All namespaces when absent. */
  namespace?: string;
  /** Every pair must match. */
  labels?: Record<string, string>;
  /** Dotted paths into the object, such as `spec.product`; every pair must match. */
  fields?: Record<string, string>;
  /** All objects when absent. */
  limit?: number;
  /** The `continue` of the previous page. An expired token, or one of another list, is refused as `invalid`. */
  continue?: string;
  /**
   * The objects as they were at the version of an earlier list, of any kind, so that several lists show one moment. A
   * version that is no longer kept is refused as `invalid`. Such a list is never cached.
   */
  at?: string;
};

export type Page<T> = {
  /** Sorted by namespace, then by name. */
  items: T[];
  /** Absent on the last page. */
  continue?: string;
  /** A watch that starts from this version misses no change after the snapshot. */
  resourceVersion: string;
};

export type WatchOptions = Pick<ListOptions, 'namespace' | 'labels'> & {
  name?: string;
  /** Only events after this version; by default from now. An expired version ends the watch with a `WatchExpiredError`. */
  resourceVersion?: string;
  signal: AbortSignal;
};

export type WatchEvent<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T };

/** The version to watch from is no longer kept (410). List again and watch from the version of the list. */
export class WatchExpiredError extends Error {}

/** Stores custom resources, secrets, config objects and objects of other systems. The contract is test/contracts/store.ts. */
export type Store = {
  /** Throws `already-exists` when the name is taken. */
  create<T extends StoredObject>(kind: Kind<T>, object: NewObject<T>): Promise<T>;
  /** Throws `not-found`. */
  get<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions): Promise<T>;
  find<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions): Promise<T | undefined>;
  list<T extends StoredObject>(kind: Kind<T>, options?: ListOptions): Promise<Page<T>>;
  /** Writes everything but `status`. Throws `stale-version` when the object changed; an equal object gets no new version. */
  replace<T extends StoredObject>(kind: Kind<T>, object: T): Promise<T>;
  /** Creates the object, or overwrites it without reading it, for callers that must not read it. It has no status. */
  put<T extends StoredObject>(kind: Kind<T>, object: NewObject<T>): Promise<void>;
  /**
   * Writes `status` only, and reads and retries on conflicts. `change` may run several times; when it returns
   * undefined, nothing is written.
   */
  updateStatus<T extends StoredObject & { status?: unknown }>(
    kind: Kind<T>,
    ref: Ref,
    change: (current: T) => T['status'] | undefined,
  ): Promise<T>;
  /**
   * Creates the object with its status as it was in a store that is lost; the objects that own it exist already. SQLite also
   * keeps its uid, generation and times; Kubernetes assigns new ones, and keeps the uid in `restoredUidAnnotation`. A
   * deletion that had begun continues. Throws `already-exists` when the name is taken.
   */
  restore<T extends StoredObject>(kind: Kind<T>, object: T): Promise<T>;
  /**
   * Deletes the object and the objects that it owns. An object with finalizers is only marked (`deletionTimestamp`);
   * the `replace` that removes the last finalizer deletes it.
   */
  delete<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: { resourceVersion?: string }): Promise<void>;
  /**
   * Deletes a namespace that the service created, with all objects in it, and returns what is not deleted yet: objects
   * with finalizers stay until these are removed. Call it again until the list is empty.
   */
  deleteNamespace(namespace: string): Promise<string[]>;
  watch<T extends StoredObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Returns a value that changes whenever a cached read of that kind and namespace may return something else, so that
   * results computed from cached reads can be reused. Undefined while the store cannot tell.
   */
  revision(kind: Kind<StoredObject>, namespace?: string): unknown;
  close(): Promise<void>;
};
