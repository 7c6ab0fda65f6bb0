import { invalid, isServiceError, ServiceError } from '../../src/errors.ts';
import {
  getProviderType,
  type IdentityProvider,
  type IdentityProviderSpec,
} from '../../src/rules/access/identity-provider.ts';
import type { ApiDeps } from '../deps.ts';
import { toProviderClient } from './identity-provider.ts';

type Candidate = { name: string; spec: IdentityProviderSpec; clientSecret: string | undefined };

/** Asks the provider for its configuration; throws when people could not sign in through it. */
export async function assertUsableProvider(
  { identityProviders, config }: Pick<ApiDeps, 'identityProviders' | 'config'>,
  { name, spec, clientSecret }: Candidate,
): Promise<void> {
  try {
    await identityProviders.assertUsable(toProviderClient(config, { metadata: { name }, spec }, clientSecret));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(
      'identity-provider-unusable',
      `The issuer "${spec.issuer}" cannot be used. ${error.message}`,
      {
        errors: error.errors.length > 0 ? error.errors : [{ pointer: '/spec/issuer', detail: error.message }],
      },
    );
  }
}

/** The client secret and the identities of users belong to one issuer and type, and another one must get neither. */
export function assertSameIssuer(current: IdentityProvider, next: IdentityProviderSpec): void {
  const [type, nextType] = [getProviderType(current.spec), getProviderType(next)];
  const errors = [
    ...(current.spec.issuer === next.issuer
      ? []
      : [{ pointer: '/spec/issuer', detail: `must be "${current.spec.issuer}"` }]),
    ...(type === nextType ? [] : [{ pointer: '/spec/type', detail: `must be "${type}"` }]),
  ];
  if (errors.length === 0) return;
  throw invalid(
    `The issuer and the type of "${current.metadata.name}" cannot be changed. Add the other issuer as another identity provider.`,
    errors,
  );
}
