import { invalid } from '../../errors.ts';
import type { AnyObject } from '../any-object.ts';
import { markedDeleted } from './next-version.ts';
import type { Versions } from './versions.ts';

/** Deletes the object, or marks it while finalizers are left; what only it owned goes with it. */
export function remove(versions: Versions, object: AnyObject): void {
  if (object.metadata.finalizers === undefined) return erase(versions, object);
  if (object.metadata.deletionTimestamp === undefined) versions.put('MODIFIED', markedDeleted(object));
}

/** Ends the object for good, as it is given here. */
export function erase(versions: Versions, object: AnyObject): void {
  versions.put('DELETED', object);
  for (const uid of versions.ownedBy(object.metadata.uid)) {
    // Read one by one: what is owned twice may be gone with the one before.
    const owned = versions.byUid(uid);
    if (owned) removeIfOrphaned(versions, owned);
  }
}

/** An object whose owners are all gone follows them, also when it names them only now. */
export function removeIfOrphaned(versions: Versions, object: AnyObject): void {
  const { ownerReferences = [], namespace } = object.metadata;
  if (ownerReferences.length === 0) return;
  if (ownerReferences.every(({ uid }) => versions.byUid(uid)?.metadata.namespace !== namespace))
    remove(versions, object);
}

/** Kubernetes takes an owner elsewhere for a lost one and deletes the object later, without a word. */
export function refuseOwnerElsewhere(versions: Versions, { kind, metadata }: AnyObject): void {
  const { name, namespace, ownerReferences = [] } = metadata;
  const index = ownerReferences.findIndex(
    ({ uid }) => (versions.byUid(uid)?.metadata.namespace ?? namespace) !== namespace,
  );
  if (index === -1) return;
  throw invalid(
    `${kind} "${name}" names an owner outside its namespace "${namespace}". Label it and delete it yourself.`,
    [{ pointer: `/metadata/ownerReferences/${index}`, detail: 'must be in the same namespace' }],
  );
}
