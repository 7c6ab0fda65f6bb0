import { EmailAddress } from '../names.ts';
import { emailDomainViolation } from './email-domain-violation.ts';
import type { IdentityProviderSpec } from './identity-provider.ts';

/** A person, as an identity provider describes them. */
export type Identity = {
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  groups: string[];
};

/** Returns why a person may not sign in with what the provider says about them, or undefined when they may. */
export function identityViolation(
  provider: Pick<IdentityProviderSpec, 'label' | 'emailDomains'>,
  { email, emailVerified }: Pick<Identity, 'email' | 'emailVerified'>,
): string | undefined {
  const { label } = provider;
  if (email === undefined)
    return `${label} did not share your e-mail address. An admin of the provider must enable the claim "email".`;
  if (!EmailAddress.safeParse(email).success) return `${label} sent an invalid e-mail address.`;
  if (!emailVerified)
    return `${label} has not verified your e-mail address. Verify the address there, then sign in again.`;
  return emailDomainViolation(provider, email);
}
