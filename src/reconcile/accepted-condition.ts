import { ignoreNotFound, isServiceError } from '../errors.ts';
import { withAcceptedCondition, type Condition } from '../rules/conditions.ts';
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
      const { generation } = metadata;
      const conditions = withAcceptedCondition(current.status?.conditions, { rejection, generation, at });
      return conditions && ({ ...current.status, conditions } as Status);
    })
    .catch(ignoreNotFound);
}

/** Returns the message of a permanent refusal for the condition; rethrows any other error, so that it is retried. */
export function rejectionMessage(error: unknown): string {
  const isRetryable = isServiceError(error) && ['unavailable', 'too-many-requests'].includes(error.code);
  if (isServiceError(error) && (!isRetryable || error.reason === 'quota-reached')) return error.message;
  throw error;
}
