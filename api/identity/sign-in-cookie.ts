import type { Context } from 'hono';
import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import type { ApiDeps } from '../deps.ts';
import { deleteHostCookie, readHostCookie, setHostCookie } from '../http/cookies.ts';

/** Long enough to sign in at the provider, with a second factor. */
const signInTtlMs = 10 * 60_000;
const signInCookie = 'svc_oidc';

const PendingSignIn = z.object({
  provider: z.string(),
  providerUid: z.string(),
  state: z.string().min(20),
  nonce: z.string().min(20),
  codeVerifier: z.string().min(43),
  /** The path to open after the sign-in. */
  to: z.string(),
  expiresAt: z.number(),
});
/** A sign-in that a browser has started at a provider. The browser keeps it, so that strangers make the service store nothing. */
export type PendingSignIn = Omit<z.infer<typeof PendingSignIn>, 'expiresAt'>;

type Deps = Pick<ApiDeps, 'config' | 'now'>;

export function rememberSignIn(c: Context, { config, now }: Deps, pending: PendingSignIn): void {
  const content = { ...pending, expiresAt: now().getTime() + signInTtlMs };
  const value = Buffer.from(JSON.stringify(content)).toString('base64url');
  setHostCookie(c, { name: signInCookie, siteUrl: config.publicUrl, value, maxAgeMs: signInTtlMs });
}

/** Returns the sign-in that this browser started at the provider, and forgets it, so that it is completed once. */
export function takeSignIn(c: Context, { config, now }: Deps, provider: { name: string; uid: string }): PendingSignIn {
  const value = readHostCookie(c, signInCookie, config.publicUrl);
  deleteHostCookie(c, signInCookie, config.publicUrl);
  const pending = parse(value);
  if (
    pending?.provider !== provider.name ||
    pending.providerUid !== provider.uid ||
    pending.expiresAt <= now().getTime()
  )
    throw invalidState();
  return pending;
}

function parse(value: string | undefined): z.infer<typeof PendingSignIn> | undefined {
  if (value === undefined) return undefined;
  try {
    return PendingSignIn.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

const invalidState = (): ServiceError =>
  new ServiceError(
    'sign-in-state-invalid',
    'This browser did not start the sign-in, or started it more than ten minutes ago. Sign in again.',
  );
