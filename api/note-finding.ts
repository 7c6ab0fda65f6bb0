import { isServiceError, unlessGone } from '../src/errors.ts';
import type { Resource, ResourceKind, StoredObject } from '../src/rules/resource.ts';
import { type Condition, withFinding } from '../src/rules/taken-up.ts';
import type { ApiDeps } from './deps.ts';

/** Says on the resource whether it is taken up, or what is wrong with it and how to mend that. */
export async function noteFinding<Spec, Status extends { conditions?: Condition[] | undefined }>(
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  kind: ResourceKind<Spec, Status>,
  { metadata }: Resource<Spec, Status>,
  refusal?: string,
): Promise<void> {
  const at = now().toISOString();
  await store
    .updateStatus(kind, metadata, (current) => {
      const conditions = withFinding(current.status?.conditions, { refusal, generation: metadata.generation, at });
      return conditions && ({ ...current.status, conditions } as Status);
    })
    .catch(unlessGone);
}

/** What was refused for good, in words for the condition; anything else passes by itself. */
export function refusalIn(error: unknown): string {
  if (isServiceError(error) && !['unavailable', 'too-many-requests'].includes(error.code)) return error.message;
  throw error;
}

export const isGoing = ({ metadata }: StoredObject): boolean => metadata.deletionTimestamp !== undefined;
