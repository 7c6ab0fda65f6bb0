import type { Metadata, StoredObject } from '../rules/resource.ts';
import type { NewObject } from './store.ts';

/** An object of any kind, with the two parts that a store handles separately. */
export type AnyObject = StoredObject & { spec?: unknown; status?: unknown };

/** Keeps the metadata fields that a caller may write. Empty fields are dropped, because Kubernetes drops them too. */
export function toWritableMetadata(metadata: NewObject<AnyObject>['metadata']): Partial<Metadata> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return Object.fromEntries(
    Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(
      ([, value]) => value !== undefined && Object.keys(value).length > 0,
    ),
  );
}
