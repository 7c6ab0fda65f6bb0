import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { Ref } from '../store.ts';

type Named = Pick<Kind<StoredObject>, 'apiVersion' | 'plural'>;

/** Where a kind's objects are: of one namespace, or of all, or those in none, which an empty name stands for. */
export function collectionPath({ apiVersion, plural }: Named, namespace?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}` : `${root}/${plural}`;
}

export function objectPath(kind: Named, { namespace, name }: Ref): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
