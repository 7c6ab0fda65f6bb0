import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { createUseJudge, findRegistries } from './registries.ts';
import { RegistryView, toRegistryView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRegistries',
  method: 'get',
  path: '/v1/orgs/{org}/registries',
  tags: ['Registries'],
  summary: 'List the registries of an org',
  description: 'Returns the container registries that the org has connected, without their passwords.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: jsonResponse('A page of registries', listSchema(RegistryView)), ...problems(401, 403, 404, 422) },
});

export function listRegistries(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(deps.store, org);
    const { secret, registries } = await findRegistries(deps.store, org);
    const { items, ...page } = paginate(c, registries, {
      toPosition: ({ name }) => [name],
      query: c.req.valid('query'),
    });
    const findViolation = await createUseJudge(deps, org);
    const context = { ...deps, org, role: c.get('role'), resourceVersion: secret?.metadata.resourceVersion ?? '' };
    const views = items.map((registry) => toRegistryView(registry, { ...context, violation: findViolation(registry) }));
    return c.json({ items: views, ...page }, 200);
  });
}
