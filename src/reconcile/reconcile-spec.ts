import { isServiceError } from '../errors.ts';
import { acceptedGenerationAnnotation, isReconciled, type Condition } from '../rules/conditions.ts';
import { isDeleting, type Resource, type ResourceKind } from '../rules/resource.ts';
import { rejectionMessage, setAcceptedCondition } from './accepted-condition.ts';
import type { ReconcileDeps } from './deps.ts';

type SpecReconciler = {
  /** Throws when the spec is invalid. */
  assertValid: () => Promise<void>;
  /** Keeps a deleted object until what belongs to it is deleted. */
  finalizer?: string;
  /** Applies a valid spec; idempotent. */
  apply?: () => Promise<void>;
};

/** Validates and applies a spec that was written to the store without the API, and marks it as accepted. Idempotent. */
export async function reconcileSpec<Spec, Status extends { conditions?: Condition[] | undefined }>(
  deps: ReconcileDeps,
  kind: ResourceKind<Spec, Status>,
  object: Resource<Spec, Status>,
  { assertValid, finalizer, apply }: SpecReconciler,
): Promise<void> {
  const { metadata } = object;
  if (isDeleting(object) || isReconciled(object)) return;
  try {
    await assertValid();
  } catch (error) {
    return await setAcceptedCondition(deps, kind, object, rejectionMessage(error));
  }
  await apply?.();
  const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(finalizer === undefined ? [] : [finalizer])])];
  const annotations = { ...metadata.annotations, [acceptedGenerationAnnotation]: String(metadata.generation) };
  try {
    await deps.store.replace(kind, { ...object, metadata: { ...metadata, annotations, finalizers } });
  } catch (error) {
    // The watch delivers the change that this one conflicts with.
    if (isServiceError(error, 'conflict') || isServiceError(error, 'not-found')) return;
    throw error;
  }
  await setAcceptedCondition(deps, kind, object);
}
