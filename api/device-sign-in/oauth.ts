import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ApiEnv } from '../deps.ts';

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** The errors of RFC 6749, section 5.2, and RFC 8628, section 3.5, that the endpoints respond with. */
const oauthErrors = {
  authorization_pending: 'No person has decided yet. Ask again after the interval.',
  slow_down: 'The tool asks too often. Wait five seconds longer between requests.',
  access_denied: 'A person has denied the sign-in.',
  expired_token: 'The code has expired or was used. Start again.',
  invalid_scope: 'The scope must be one role: viewer, member or org-admin.',
} as const;
export type OAuthErrorCode = keyof typeof oauthErrors;

export const OAuthError = z
  .object({
    error: z.enum(Object.keys(oauthErrors) as [OAuthErrorCode, ...OAuthErrorCode[]]).describe('Code of the error.'),
    error_description: z.string().describe('What the error means, for people.'),
  })
  .openapi('OAuthError');

export const oauthErrorResponse = {
  description: 'An error of OAuth 2.0, which clients tell apart by `error`',
  content: { 'application/json': { schema: OAuthError } },
};

export const respondWithOAuthError = (c: Context<ApiEnv>, error: OAuthErrorCode) =>
  c.json({ error, error_description: oauthErrors[error] }, 400, { 'Cache-Control': 'no-store' });

export const formBody = <T extends z.ZodType>(schema: T) => ({
  required: true as const,
  content: { 'application/x-www-form-urlencoded': { schema } },
});
