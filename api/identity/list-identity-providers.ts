import { createRoute } from '@hono/zod-openapi';
import { IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, PageQuery } from '../http/views.ts';
import { readClientSecret } from './identity-provider.ts';
import { IdentityProviderView, toIdentityProviderView } from './schemas.ts';

const route = createRoute({
  operationId: 'listIdentityProviders',
  method: 'get',
  path: '/v1/identity-providers',
  tags: ['Access'],
  summary: 'List identity providers',
  description: 'Returns their settings, never the client secrets. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { query: PageQuery },
  responses: {
    200: jsonResponse('A page of identity providers', listSchema(IdentityProviderView)),
    ...problems(401, 403, 422),
  },
});

export function listIdentityProviders(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const all = await store.list(IdentityProviderKind, { namespace: systemNamespace });
    const query = c.req.valid('query');
    const { items, ...page } = paginate(c, all.items, { toPosition: ({ metadata }) => [metadata.name], query });
    const views = await Promise.all(
      items.map(async (provider) => {
        const hasClientSecret = (await readClientSecret(store, provider.metadata.name)) !== undefined;
        return toIdentityProviderView(provider, config, hasClientSecret);
      }),
    );
    return c.json({ items: views, ...page }, 200);
  });
}
