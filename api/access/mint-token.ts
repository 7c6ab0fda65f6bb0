import { createRoute, z } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { resolveTokenExpiry } from '../../src/rules/access/token-lifetime.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { titleText } from '../../src/rules/names.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body } from '../http/views.ts';
import { countTokens, issueToken, copyHolder } from '../auth/issue-token.ts';
import { MintedTokenView, TokenExpiry, toTokenView } from './schemas.ts';

const route = createRoute({
  operationId: 'mintToken',
  method: 'post',
  path: '/v1/me/tokens',
  tags: ['Access'],
  summary: 'Create an API token',
  description:
    'Creates a token that has the roles of the current user, up to `roleMax`. The response shows its text only once. Requires a browser session: a token cannot create another. If the session began at an identity provider, the token is refused once the provider no longer lets the user in, until the user signs in there again. Fails with 429 if the user has as many tokens as the quota allows.',
  ...requireRole('signed-in', { credential: 'session' }),
  request: {
    body: body(
      z.strictObject({
        label: titleText(100).describe('Label that tells the token apart from the user’s other tokens.'),
        expiresAt: TokenExpiry.optional(),
        roleMax: z
          .enum(orgRoles)
          .optional()
          .describe('Highest role that the token has in any org; defaults to all that its owner may do.'),
      }),
    ),
  },
  responses: {
    201: jsonResponse('The created token', MintedTokenView),
    ...problems(400, 401, 403, 413, 415, 422, 429),
  },
});

export function mintToken(app: App, { store, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { label, expiresAt: requested, roleMax } = c.req.valid('json');
    const { user: name } = c.get('caller');
    const expiresAt = resolveTokenExpiry(config.tokenLifetime, { now: now(), requested });
    const user = await store.get(UserKind, { namespace: systemNamespace, name });
    const { token, stored } = await c.get('quotaGuard').create({
      quota: 'tokensPerUser',
      holder: name,
      count: async () => await countTokens(store, name),
      create: () =>
        issueToken(
          store,
          { use: 'token', ...copyHolder(c.get('credential')), label, expiresAt, ...(roleMax && { roleMax }) },
          user,
        ),
    });
    return c.json({ ...toTokenView(stored), token }, 201);
  });
}
