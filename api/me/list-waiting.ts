import { createRoute } from '@hono/zod-openapi';
import { listOrgRoles } from '../access/list-org-roles.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, PageQuery } from '../http/views.ts';
import { WaitingItemView } from './schemas.ts';
import { listWaitingItems } from './waiting-items.ts';

const route = createRoute({
  operationId: 'listWaiting',
  method: 'get',
  path: '/v1/me/waiting',
  tags: ['Me'],
  summary: 'List what waits for the current user',
  description:
    'Returns what a person must decide or do in every org in which the caller has a sufficient role: steps of runs, promotions that wait for approval, incidents that no one has acknowledged, and for org admins domains without DNS records. Returns the longest wait first. If the caller contributed to the work and the org demands another person, `actions` says so and `people` names up to ten people who may approve: those of a provider group once they have signed in, and platform admins to org admins only.',
  ...requireRole('signed-in'),
  request: { query: PageQuery },
  responses: { 200: jsonResponse('A page of what waits', listSchema(WaitingItemView)), ...problems(401, 422) },
});

export function listWaiting(app: App, { now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    return await respondCached(c, async (reads) => {
      const { email } = c.get('caller');
      const orgs = await listOrgRoles(reads, c.get('caller'));
      return paginate(c, await listWaitingItems({ store: reads, now }, email, orgs), {
        toPosition: ({ since, org, kind, name, step, zone }) => [since, org, kind, name, step ?? zone ?? ''],
        query: c.req.valid('query'),
      });
    });
  });
}
