import { isApplyingInterrupted, isReconciled, type Condition } from '../rules/conditions.ts';
import { isDeleting, type Resource, type ResourceKind } from '../rules/resource.ts';
import { rejectionMessage, saveAccepted, setAcceptedCondition } from './accepted-condition.ts';
import { finishApplying } from './applying-mark.ts';
import type { ReconcileDeps } from './deps.ts';

type SpecReconciler = {
  /** Throws when the spec is invalid. */
  assertValid: () => Promise<void>;
  /** Keeps a deleted object until what belongs to it is deleted. */
  finalizer?: string;
  /** Applies a valid spec; idempotent. */
  apply?: () => Promise<void>;
  /** The annotations that an accepted spec gets. */
  annotations?: Record<string, string>;
  /** Does what follows from an accepted spec; idempotent, so it is done again when it was interrupted. */
  follow?: () => Promise<void>;
};

/** Validates and applies a spec that was written to the store without the API, and marks it as accepted. Idempotent. */
export async function reconcileSpec<Spec, Status extends { conditions?: Condition[] | undefined }>(
  deps: ReconcileDeps,
  kind: ResourceKind<Spec, Status>,
  object: Resource<Spec, Status>,
  { assertValid, finalizer, apply, annotations, follow }: SpecReconciler,
): Promise<void> {
  if (isDeleting(object)) return;
  const finish = async (accepted: Resource<Spec, Status>): Promise<void> =>
    void (await finishApplying(deps.store, {
      kind,
      object: accepted,
      async follow() {
        await follow?.();
        await setAcceptedCondition(deps, kind, accepted);
      },
    }));
  if (isReconciled(object)) return isApplyingInterrupted(object, deps.now()) ? await finish(object) : undefined;
  try {
    await assertValid();
  } catch (error) {
    return await setAcceptedCondition(deps, kind, object, rejectionMessage(error));
  }
  await apply?.();
  const spec = kind.specSchema.parse(object.spec);
  const accepted = await saveAccepted(deps, kind, object, { spec, annotations, finalizer });
  if (accepted) await finish(accepted);
}
