import type { IdentityProviderSpec } from './identity-provider.ts';

/** Returns why a person with an address may not sign in through a provider, or undefined when its domain is allowed. */
export function emailDomainViolation(
  { label, emailDomains = [] }: Pick<IdentityProviderSpec, 'label' | 'emailDomains'>,
  email: string,
): string | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (emailDomains.length === 0 || emailDomains.includes(domain)) return undefined;
  return `Addresses of "${domain}" may not sign in through ${label}. Use an account with an address that may.`;
}
