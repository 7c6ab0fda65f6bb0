import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { Timestamp } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body } from '../http/views.ts';
import { issueToken } from '../auth/issue-token.ts';
import { MintedTokenView, toTokenView } from './schemas.ts';

const route = createRoute({
  operationId: 'mintToken',
  method: 'post',
  path: '/v1/me/tokens',
  tags: ['Access'],
  summary: 'Create an API token',
  description: 'Creates a token that has the roles of the current user. The response shows its text only once.',
  ...requireRole('signed-in'),
  request: { body: body(z.strictObject({ label: z.string().min(1).max(100), expiresAt: Timestamp.optional() })) },
  responses: {
    201: jsonResponse('The created token', MintedTokenView),
    ...problems(400, 401, 403, 413, 415, 422),
  },
});

export function mintToken(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { label, expiresAt } = c.req.valid('json');
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime())
      throw invalid(`The expiry ${expiresAt} is in the past.`, [
        { pointer: '/expiresAt', detail: 'must be in the future' },
      ]);
    const spec = {
      use: 'token' as const,
      user: c.get('caller').user,
      label,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const { token, stored } = await issueToken(store, spec);
    c.header('Location', `/api/v1/me/tokens/${stored.metadata.name}`);
    return c.json({ ...toTokenView(stored), token }, 201);
  });
}
