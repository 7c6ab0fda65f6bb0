import { invalid, isServiceError, ServiceError } from '../../src/errors.ts';
import type { IdentityProvider, IdentityProviderSpec } from '../../src/rules/access/identity-provider.ts';
import type { ApiDeps } from '../deps.ts';
import { toOpenIdClient } from './identity-provider.ts';

type Candidate = { name: string; spec: IdentityProviderSpec; clientSecret: string | undefined };

/** Asks the provider for its configuration; throws when people could not sign in through it. */
export async function assertUsableProvider(
  { identityProviders, config }: Pick<ApiDeps, 'identityProviders' | 'config'>,
  { name, spec, clientSecret }: Candidate,
): Promise<void> {
  try {
    await identityProviders.assertUsable(toOpenIdClient(config, { metadata: { name }, spec }, clientSecret));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(
      'identity-provider-unusable',
      `The issuer "${spec.issuer}" cannot be used. ${error.message}`,
      {
        errors: [{ pointer: '/spec/issuer', detail: error.message }],
      },
    );
  }
}

/** The client secret and the identities of users belong to one issuer, and another one must get neither. */
export function assertSameIssuer(current: IdentityProvider, { issuer }: IdentityProviderSpec): void {
  if (current.spec.issuer === issuer) return;
  throw invalid(
    `The issuer of "${current.metadata.name}" cannot be changed. Add the other issuer as another identity provider.`,
    [{ pointer: '/spec/issuer', detail: `must be "${current.spec.issuer}"` }],
  );
}
