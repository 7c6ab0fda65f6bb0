import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, isServiceError } from '../errors.ts';
import {
  acceptedGenerationAnnotation,
  isReconciled,
  withAcceptedCondition,
  type Condition,
} from '../rules/conditions.ts';
import type { Resource, ResourceKind } from '../rules/resource.ts';
import { applyingMark } from './applying-mark.ts';
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

type Accepted<Spec> = {
  /** The spec as the schema reads it: with its defaults, and without space at the ends of texts. */
  spec: Spec;
  annotations?: Record<string, string> | undefined;
  finalizer?: string | undefined;
};

/**
 * Saves an accepted spec, with the annotation of the generation that the write results in and the mark that it is being
 * applied. Returns undefined when the object has changed in the meantime; the watch delivers that change too.
 */
export async function saveAccepted<Spec, Status>(
  { store, now }: Pick<ReconcileDeps, 'store' | 'now'>,
  kind: ResourceKind<Spec, Status>,
  object: Resource<Spec, Status>,
  { spec, annotations, finalizer }: Accepted<Spec>,
): Promise<Resource<Spec, Status> | undefined> {
  const { metadata } = object;
  const generation = isDeepStrictEqual(spec, object.spec) ? metadata.generation : metadata.generation + 1;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), ...(finalizer === undefined ? [] : [finalizer])])];
  const accepted = { [acceptedGenerationAnnotation]: String(generation) };
  const marks = { ...metadata.annotations, ...annotations, ...accepted, ...applyingMark(now()) };
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
