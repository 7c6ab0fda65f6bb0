import { createRoute, z } from '@hono/zod-openapi';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { resolveTokenExpiry } from '../../src/rules/access/token-lifetime.ts';
import { assertWithinQuota } from '../../src/rules/quotas.ts';
import { TokenExpiry } from '../access/schemas.ts';
import { countTokens, copyHolder } from '../auth/issue-token.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body } from '../http/views.ts';
import { decideSignIn, getUndecidedSignIn } from './device-sign-ins.ts';
import { DeviceSignInParams } from './schemas.ts';

const route = createRoute({
  operationId: 'approveDeviceSignIn',
  method: 'post',
  path: '/v1/me/device-sign-ins/{code}/approve',
  tags: ['Access'],
  summary: 'Approve the sign-in of a tool',
  description:
    'Lets the tool that shows the code redeem a token of the current user. Requires a browser session. Fails with 429 if the user has as many tokens as the quota allows.',
  ...requireRole('signed-in', { credential: 'session' }),
  request: {
    params: DeviceSignInParams,
    body: body(
      z.strictObject({
        roleMax: z
          .enum(orgRoles)
          .optional()
          .describe('Highest role that the token has in any org; defaults to what the tool asked for.'),
        expiresAt: TokenExpiry.optional(),
      }),
    ),
  },
  responses: {
    204: { description: 'The tool can redeem its token' },
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function approveDeviceSignIn(app: App, { store, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { roleMax, expiresAt: requested } = c.req.valid('json');
    const found = await getUndecidedSignIn(store, c.req.valid('param').code, now());
    const tokenExpiresAt = resolveTokenExpiry(config.tokenLifetime, { now: now(), requested });
    const { user: name } = c.get('caller');
    assertWithinQuota(config.quotas, 'tokensPerUser', (await countTokens(store, name)) + 1);
    const signIn = { ...found.signIn, ...(roleMax && { roleMax }) };
    await decideSignIn(
      store,
      { ...found, signIn },
      { approved: true, ...copyHolder(c.get('credential')), tokenExpiresAt },
    );
    return c.body(null, 204);
  });
}
