import type { Metadata, StoredObject } from '../rules/resource.ts';
import type { New } from './store.ts';

/** An object of any kind, as far as a store tells its parts apart. */
export type AnyObject = StoredObject & { spec?: unknown; status?: unknown };

/** What of the metadata a caller may write; empty ones are left out, as Kubernetes does. */
export function callersMetadata(metadata: New<AnyObject>['metadata']): Partial<Metadata> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return Object.fromEntries(
    Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(
      ([, value]) => value !== undefined && Object.keys(value).length > 0,
    ),
  );
}
