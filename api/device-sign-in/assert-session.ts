import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { ApiEnv } from '../deps.ts';

/** Throws for a token: a stolen one could otherwise create others that outlive its revocation. */
export function assertSession(c: Context<ApiEnv>): void {
  if (c.get('caller').via === 'session') return;
  throw new ServiceError('session-required', 'Sign in with a browser to decide about the sign-in of a tool.');
}
