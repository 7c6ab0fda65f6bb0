import { ServiceError } from '../../src/errors.ts';
import type { ApiToken } from '../../src/rules/access/kinds.ts';

/**
 * The kind of credential that an operation requires. A token can be stolen or lent, so it neither creates other
 * credentials (`session`) nor changes what guards the whole installation (`password-session`).
 */
export type RequiredCredential = 'any' | 'session' | 'password-session';

/** Throws unless the credential is of the required kind. */
export function assertCredential(required: RequiredCredential, credential: ApiToken): void {
  if (required === 'session' && credential.spec.use !== 'session')
    throw new ServiceError(
      'session-required',
      'This requires a browser session. Sign in with a browser and repeat it.',
    );
  const violation = required === 'password-session' ? passwordSessionViolation(credential) : undefined;
  if (violation !== undefined) throw new ServiceError('password-session-required', violation);
}

/** Throws for a token with a maximum role: who holds it is meant to do less than its owner, to whom the other credentials belong. */
export function assertUnlimited({ spec: { roleMax } }: ApiToken): void {
  if (roleMax === undefined) return;
  throw new ServiceError(
    'insufficient-role',
    'A token with a maximum role ends no session, and revokes only itself. Use a browser session, or a token without one.',
  );
}

/** Says why the credential does not count as a browser session that began with a password. */
export function passwordSessionViolation({ spec: { use, signInMethod } }: ApiToken): string | undefined {
  if (use === 'session' && signInMethod === 'password') return undefined;
  const fix = 'This requires a browser session that began with a password. Sign in with your password and repeat it.';
  return signInMethod === 'codehost' ? `Your session began at the code host. ${fix}` : fix;
}
