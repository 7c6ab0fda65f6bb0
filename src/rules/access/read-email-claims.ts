import type { Identity } from './identity-violation.ts';

type Claims = Record<string, unknown>;

/**
 * Reads the address of a person from the documents of a provider, of which the first one that has an address counts. The
 * address is verified only if a document says so of this address, because another one says nothing about it.
 */
export function readEmailClaims(...documents: (Claims | undefined)[]): Pick<Identity, 'email' | 'emailVerified'> {
  const [found, ...others] = documents.filter((claims) => claims?.['email'] !== undefined);
  const email = found?.['email'];
  if (typeof email !== 'string') return { email: undefined, emailVerified: false };
  const verdicts = [found, ...others].filter((claims) => claims?.['email'] === email).map(readVerdict);
  return { email, emailVerified: verdicts.find((verdict) => verdict !== undefined) ?? false };
}

/** Some providers write the value as a text, which is no statement. */
const readVerdict = (claims: Claims | undefined): boolean | undefined => {
  const verdict = claims?.['email_verified'];
  return typeof verdict === 'boolean' ? verdict : undefined;
};
