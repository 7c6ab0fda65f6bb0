import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { ApiEnv } from '../deps.ts';

/** Throws unless the person signed in to a browser with their password: other credentials can be stolen or lent. */
export function assertPasswordSession(c: Context<ApiEnv>): void {
  const violation = passwordSessionViolation(c);
  if (violation !== undefined) throw new ServiceError('password-session-required', violation);
}

export function passwordSessionViolation(c: Context<ApiEnv>): string | undefined {
  const { use, signInMethod } = c.get('credential').spec;
  if (use === 'session' && signInMethod === 'password') return undefined;
  return 'This requires a browser session of a platform admin who signed in with a password. Sign in with a password and repeat it.';
}
