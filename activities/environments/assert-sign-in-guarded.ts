import { ServiceError } from '../../src/errors.ts';
import { IngressClassKind } from '../../src/kinds/kubernetes.ts';
import { type IngressSettings, signInGuardViolation } from '../../src/rules/environments/sign-in-guard.ts';
import type { ZoneSpec } from '../../src/rules/products/kinds.ts';
import type { Store } from '../../src/store/store.ts';

/** Throws when a zone requires sign-in and its Ingress controller is not one that demands it. */
export async function assertSignInGuarded(
  { store, ingress }: { store: Store; ingress?: IngressSettings | undefined },
  { access, cluster }: Pick<ZoneSpec, 'access' | 'cluster'>,
): Promise<void> {
  // The gateway of one machine always demands it.
  if (access !== 'signed-in' || !ingress) return;
  const { className, workloadController } = ingress;
  const controller =
    cluster === undefined
      ? (await store.find(IngressClassKind, { namespace: '', name: className }))?.spec.controller
      : workloadController;
  const violation = signInGuardViolation({ className, cluster, controller });
  if (violation !== undefined) throw new ServiceError('sign-in-unguarded', violation);
}
