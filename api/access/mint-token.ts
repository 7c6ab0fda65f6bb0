import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { Timestamp } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body } from '../views.ts';
import { newToken } from './new-token.ts';
import { MintedTokenView, tokenView } from './schemas.ts';

const route = createRoute({
  operationId: 'mintToken',
  method: 'post',
  path: '/v1/me/tokens',
  tags: ['Access'],
  summary: 'Mint an API token that acts with your roles',
  ...needs('signed-in'),
  request: { body: body(z.strictObject({ label: z.string().min(1).max(100), expiresAt: Timestamp.optional() })) },
  responses: {
    201: answer('The token; its text is shown this once', MintedTokenView),
    ...problems(400, 401, 403, 413, 415, 422),
  },
});

export function mintToken(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { label, expiresAt } = c.req.valid('json');
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime())
      throw invalid('The token would have expired already.', [
        { pointer: '/expiresAt', detail: 'must be in the future' },
      ]);
    const spec = {
      use: 'token' as const,
      user: c.get('caller').user,
      label,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const { token, stored } = await newToken(store, spec);
    c.header('Location', `/api/v1/me/tokens/${stored.metadata.name}`);
    return c.json({ ...tokenView(stored), token }, 201);
  });
}
