import { acceptedGenerationAnnotation } from '../rules/conditions.ts';
import { apiVersion } from '../rules/resource.ts';
import type { Store } from './store.ts';

/**
 * Wraps the store of a process of the service, which validates what it creates. A resource without the mark was created
 * by another client, such as kubectl, and is reconciled.
 */
export function acceptedCreates(store: Store): Store {
  return {
    ...store,
    create: (kind, object) => {
      if (kind.apiVersion !== apiVersion) return store.create(kind, object);
      const annotations = { [acceptedGenerationAnnotation]: '1', ...object.metadata.annotations };
      return store.create(kind, { ...object, metadata: { ...object.metadata, annotations } });
    },
  };
}
