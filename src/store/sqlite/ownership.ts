import { invalid } from '../../errors.ts';
import type { AnyObject } from '../any-object.ts';
import { markDeleted } from './next-version.ts';
import type { Versions } from './versions.ts';

/** Deletes the object and all objects that only it owns. An object with finalizers is only marked. */
export function remove(versions: Versions, object: AnyObject): void {
  if (object.metadata.finalizers === undefined) return erase(versions, object);
  if (object.metadata.deletionTimestamp === undefined) versions.append('MODIFIED', markDeleted(object));
}

/** Records the deletion of the object and deletes its orphans. */
export function erase(versions: Versions, object: AnyObject): void {
  versions.append('DELETED', object);
  for (const uid of versions.listOwnedUids(object.metadata.uid)) {
    // Each object is read again, because deleting an earlier one may have deleted it too.
    const owned = versions.findByUid(uid);
    if (owned) removeIfOrphaned(versions, owned);
  }
}

/** Deletes an object whose owners are all gone, even if they were gone before it named them. */
export function removeIfOrphaned(versions: Versions, object: AnyObject): void {
  const { ownerReferences = [], namespace } = object.metadata;
  if (ownerReferences.length === 0) return;
  if (ownerReferences.every(({ uid }) => versions.findByUid(uid)?.metadata.namespace !== namespace))
    remove(versions, object);
}

/** Kubernetes treats an owner in another namespace as missing and silently deletes the object later. */
export function assertOwnersInNamespace(versions: Versions, { kind, metadata }: AnyObject): void {
  const { name, namespace, ownerReferences = [] } = metadata;
  const index = ownerReferences.findIndex(
    ({ uid }) => (versions.findByUid(uid)?.metadata.namespace ?? namespace) !== namespace,
  );
  if (index === -1) return;
  throw invalid(
    `${kind} "${name}" names an owner outside its namespace "${namespace}". Use a label instead, and delete the object explicitly.`,
    [{ pointer: `/metadata/ownerReferences/${index}`, detail: 'must be in the same namespace' }],
  );
}
