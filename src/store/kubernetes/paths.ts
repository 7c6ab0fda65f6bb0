import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { Ref } from '../store.ts';

type KindPath = Pick<Kind<StoredObject>, 'apiVersion' | 'plural'>;

/** Returns the path of a kind in one namespace. Without a namespace, or with an empty one, it covers all namespaces. */
export function collectionPath({ apiVersion, plural }: KindPath, namespace?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}` : `${root}/${plural}`;
}

export function objectPath(kind: KindPath, { namespace, name }: Ref): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
