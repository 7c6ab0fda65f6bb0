import { createRoute, z } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { isPast } from '../../src/rules/expiry.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { countTokens, issueToken } from '../auth/issue-token.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { findSignInByDeviceCode, takeSignIn } from './device-sign-ins.ts';
import { deviceGrantType, formBody, oauthErrorResponse, respondWithOAuthError } from './oauth.ts';
import { createPollGuard } from './poll-guard.ts';

const IssuedToken = z
  .object({
    access_token: z.string().describe('API token. The response shows its text only once.'),
    token_type: z.literal('Bearer').describe('Scheme of the header `Authorization`.'),
    expires_in: z.int().describe('Seconds until the token expires.'),
    scope: z.string().optional().describe('Highest role that the token has in any org; absent if it is not limited.'),
  })
  .openapi('IssuedToken');

const route = createRoute({
  operationId: 'redeemDeviceCode',
  method: 'post',
  path: '/v1/auth/device/token',
  tags: ['Access'],
  summary: 'Redeem the device code of a tool',
  description:
    'Returns a token once a person has approved the sign-in. Until then it fails with `authorization_pending`; ask again after the interval. A code is redeemed once.',
  ...requireRole('anyone'),
  request: {
    body: formBody(
      z.object({
        grant_type: z.literal(deviceGrantType).describe('The grant of RFC 8628.'),
        device_code: z.string().min(1).max(200).describe('Code that `startDeviceSignIn` returned.'),
        client_id: z.string().min(1).max(100).optional().describe('Name of the tool.'),
      }),
    ),
  },
  responses: {
    200: jsonResponse('The token', IssuedToken),
    400: oauthErrorResponse,
    ...problems(413, 415, 422, 429),
  },
});

export function redeemDeviceCode(app: App, { store, now }: ApiDeps): void {
  const polls = createPollGuard();
  app.openapi(route, async (c) => {
    const { device_code: deviceCode } = c.req.valid('form');
    const at = now();
    const found = await findSignInByDeviceCode(store, deviceCode);
    if (!found || isPast(found.signIn.expiresAt, at)) return respondWithOAuthError(c, 'expired_token');
    const { decision, client: label, roleMax } = found.signIn;
    if (!decision)
      return respondWithOAuthError(
        c,
        polls.isTooSoon(deviceCode, at.getTime()) ? 'slow_down' : 'authorization_pending',
      );
    // The code is taken first: two requests at once must not both get a token.
    if (!(await takeSignIn(store, found))) return respondWithOAuthError(c, 'expired_token');
    if (!decision.approved) return respondWithOAuthError(c, 'access_denied');
    const { approved: _approved, tokenExpiresAt: expiresAt, ...holder } = decision;
    const user = await store.find(UserKind, { namespace: systemNamespace, name: holder.user });
    if (user?.metadata.uid !== holder.userUid) return respondWithOAuthError(c, 'access_denied');
    const spec = { use: 'token' as const, ...holder, label, expiresAt, ...(roleMax && { roleMax }) };
    const { token } = await c.get('quotaGuard').create({
      quota: 'tokensPerUser',
      holder: holder.user,
      count: async () => await countTokens(store, holder.user),
      create: () => issueToken(store, spec, user),
    });
    const expires_in = Math.floor((Date.parse(expiresAt) - at.getTime()) / 1000);
    const issued = {
      access_token: token,
      token_type: 'Bearer' as const,
      expires_in,
      ...(roleMax && { scope: roleMax }),
    };
    return c.json(issued, 200, { 'Cache-Control': 'no-store' });
  });
}
