import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, isServiceError } from '../errors.ts';
import {
  acceptedGenerationAnnotation,
  isReconciled,
  withAcceptedCondition,
  withApplyingCondition,
  type Condition,
} from '../rules/conditions.ts';
import type { Resource, ResourceKind } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';

/** Records in the status whether the spec was accepted; `rejection` is the error to fix. */
export async function setAcceptedCondition<Spec, Status extends { conditions?: Condition[] | undefined }>(
  { store, now }: Pick<ReconcileDeps, 'store' | 'now'>,
  kind: ResourceKind<Spec, Status>,
  { metadata }: Resource<Spec, Status>,
  rejection?: string,
): Promise<void> {
  const at = now().toISOString();
  await store
    .updateStatus(kind, metadata, (current) => {
      // Another replica has judged it later. Nothing would correct the rejection, because its spec is accepted.
      if (rejection !== undefined && isReconciled(current)) return undefined;
      const { generation } = metadata;
      const conditions = withAcceptedCondition(current.status?.conditions, { rejection, generation, at });
      return conditions && ({ ...current.status, conditions } as Status);
    })
    .catch(ignoreNotFound);
}

/**
 * Records that a valid spec is about to be accepted and applied, so that another process continues when this one ends.
 * Returns undefined when the object has changed in the meantime; the watch delivers that change too.
 */
export async function markApplying<Spec, Status extends { conditions?: Condition[] | undefined }>(
  { store, now }: Pick<ReconcileDeps, 'store' | 'now'>,
  kind: ResourceKind<Spec, Status>,
  { metadata: { name, namespace, generation, resourceVersion } }: Resource<Spec, Status>,
): Promise<Resource<Spec, Status> | undefined> {
  let isUnchanged = false;
  try {
    const marked = await store.updateStatus(kind, { name, namespace }, (current) => {
      isUnchanged = current.metadata.resourceVersion === resourceVersion;
      if (!isUnchanged) return undefined;
      const conditions = withApplyingCondition(current.status?.conditions, { generation, at: now().toISOString() });
      return conditions && ({ ...current.status, conditions } as Status);
    });
    return isUnchanged ? marked : undefined;
  } catch (error) {
    ignoreNotFound(error);
    return undefined;
  }
}

type Accepted<Spec> = {
  /** The spec as the schema reads it: with its defaults, and without space at the ends of texts. */
  spec: Spec;
  annotations?: Record<string, string> | undefined;
  finalizer?: string | undefined;
};

/**
 * Saves an accepted spec with the annotation of the generation that the write results in. Returns undefined when the
 * object has changed in the meantime; the watch delivers that change too.
 */
export async function saveAccepted<Spec, Status>(
  { store }: Pick<ReconcileDeps, 'store'>,
  kind: ResourceKind<Spec, Status>,
  object: Resource<Spec, Status>,
  { spec, annotations, finalizer }: Accepted<Spec>,
): Promise<Resource<Spec, Status> | undefined> {
  const { metadata } = object;
  const generation = isDeepStrictEqual(spec, object.spec) ? metadata.generation : metadata.generation + 1;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(finalizer === undefined ? [] : [finalizer])])];
  const marks = { ...metadata.annotations, ...annotations, [acceptedGenerationAnnotation]: String(generation) };
  try {
    return await store.replace(kind, { ...object, spec, metadata: { ...metadata, annotations: marks, finalizers } });
  } catch (error) {
    if (isServiceError(error, 'conflict') || isServiceError(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Returns the message of a permanent refusal for the condition; rethrows any other error, so that it is retried. */
export function rejectionMessage(error: unknown): string {
  const isRetryable = isServiceError(error) && ['unavailable', 'too-many-requests'].includes(error.code);
  if (isServiceError(error) && (!isRetryable || error.reason === 'quota-reached')) return error.message;
  throw error;
}
