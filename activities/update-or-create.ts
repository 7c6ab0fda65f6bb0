import { isServiceError } from '../src/errors.ts';
import type { Resource, ResourceKind } from '../src/rules/resource.ts';
import type { NewObject, Store } from '../src/store/store.ts';
import { getOrCreate } from './get-or-create.ts';

/** Updates the status of a resource, which the first update creates, and returns the resource. */
export async function updateOrCreate<Spec, Status>(
  store: Store,
  kind: ResourceKind<Spec, Status>,
  object: NewObject<Resource<Spec, Status>>,
  update: (status: Status | undefined) => Status,
): Promise<Resource<Spec, Status>> {
  const updateStatus = async (): Promise<Resource<Spec, Status>> =>
    await store.updateStatus(kind, object.metadata, ({ status }) => update(status));
  try {
    return await updateStatus();
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    await getOrCreate(store, kind, object);
    return await updateStatus();
  }
}
