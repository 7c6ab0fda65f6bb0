import {
  type IdentityProvider,
  IdentityProviderKind,
  IdentityProviderSpec,
} from '../rules/access/identity-provider.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates an IdentityProvider that was written to the store without the API. */
export async function reconcileIdentityProvider(deps: ReconcileDeps, provider: IdentityProvider): Promise<void> {
  await reconcileSpec(deps, IdentityProviderKind, provider, {
    async assertValid() {
      assertValidName(IdentityProviderKind, provider.metadata.name);
      parseSpec(IdentityProviderKind, IdentityProviderSpec, provider);
    },
  });
}
