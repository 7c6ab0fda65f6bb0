import { ServiceError } from '../errors.ts';
import { SecretKind } from '../kinds/kubernetes.ts';
import { UserKind, UserSpec, type User } from '../rules/access/kinds.ts';
import { userName } from '../rules/access/user-name.ts';
import type { ReconcileDeps } from './deps.ts';
import { parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates a User that was written to the store without the API: a person signs in with a password, or with an identity. */
export async function reconcileUser(deps: ReconcileDeps, user: User): Promise<void> {
  const { name, namespace } = user.metadata;
  await reconcileSpec(deps, UserKind, user, {
    async assertValid() {
      const { email, identities = [] } = parseSpec(UserKind, UserSpec, user);
      const hasPassword = (await deps.store.find(SecretKind, { namespace, name })) !== undefined;
      const canSignIn = hasPassword || identities.length > 0;
      if (name === userName(email) && canSignIn) return;
      throw new ServiceError(
        'invalid',
        `This User cannot sign in: ${canSignIn ? 'its name belongs to another address' : 'it has no password and no identity'}. Delete it, and create a user with POST /v1/access/users.`,
      );
    },
  });
}
