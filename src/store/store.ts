import type { Kind, Metadata, StoredObject } from '../rules/resource.ts';

/** Where one object lives. */
export type Ref = { namespace: string; name: string };

/** What a caller gives to `create`: the store fills in uid, versions and times. */
export type New<T extends StoredObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  metadata: Ref & Partial<Pick<Metadata, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>>;
};

export type ReadOptions = {
  /**
   * False where an answer may lag behind other processes' writes by some milliseconds, as what is only shown may; no
   * decision is to be made on it. What this process has written or read itself is always there. True when absent.
   */
  exact?: boolean;
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
  /** The `continue` of the page before; an expired or foreign one is refused as `invalid`. */
  continue?: string;
};

export type Page<T> = {
  /** In the order of namespace, then name. */
  items: T[];
  /** Absent on the last page. */
  continue?: string;
  /** Where a watch goes on from this snapshot without a gap. */
  resourceVersion: string;
};

export type WatchOptions = Pick<ListOptions, 'namespace' | 'labels'> & {
  name?: string;
  /** Events after this version; from now on when absent. Too old a version ends the watch with a `WatchExpired`. */
  resourceVersion?: string;
  signal: AbortSignal;
};

export type WatchEvent<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T };

/** The version to watch from is no longer kept (410): list again and watch from there. */
export class WatchExpired extends Error {}

/** Custom resources, secrets, config objects and other systems' objects; one contract, see test/contracts/store.ts. */
export type Store = {
  /** Refused as `conflict` when the name is taken. */
  create<T extends StoredObject>(kind: Kind<T>, object: New<T>): Promise<T>;
  /** Refused as `not-found`. */
  get<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions): Promise<T>;
  find<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: ReadOptions): Promise<T | undefined>;
  list<T extends StoredObject>(kind: Kind<T>, options?: ListOptions): Promise<Page<T>>;
  /** Writes everything but `status`; refused as `conflict` when `metadata.resourceVersion` is stale. No change, no new version. */
  replace<T extends StoredObject>(kind: Kind<T>, object: T): Promise<T>;
  /**
   * Writes `status` alone, re-reading and retrying while others write. `change` may run several times;
   * undefined from it leaves the object as it is.
   */
  updateStatus<T extends StoredObject & { status?: unknown }>(
    kind: Kind<T>,
    ref: Ref,
    change: (current: T) => T['status'] | undefined,
  ): Promise<T>;
  /**
   * Deletes the object, then what it owns. With finalizers left it only marks it (`deletionTimestamp`);
   * the replace that removes the last finalizer deletes it.
   */
  delete<T extends StoredObject>(kind: Kind<T>, ref: Ref, options?: { resourceVersion?: string }): Promise<void>;
  watch<T extends StoredObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Another one once anything of that kind and namespace has changed, as reads that need not be exact show it; undefined
   * while the store cannot tell. What was made of such reads is good for as long as their stamps are the same.
   */
  stamp(kind: Kind<StoredObject>, namespace?: string): unknown;
  close(): Promise<void>;
};
