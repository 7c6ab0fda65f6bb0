import { createRoute, z } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { listOrgPeople } from '../../src/rules/access/list-org-people.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { trimmedText } from '../../src/rules/names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, App } from '../deps.ts';
import { listValidGroups } from '../auth/list-valid-groups.ts';
import { requireRole } from '../auth/require-role.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, PageQuery } from '../http/views.ts';
import { readCurrentGroups } from './read-current-groups.ts';
import { PersonRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'listPersonRoles',
  method: 'get',
  path: '/v1/access/people/{email}/roles',
  tags: ['Access'],
  summary: 'List the orgs in which a person has a role, and why',
  description:
    'Returns the orgs with the highest role of the person and each access group that gives one. A person without a role has no entry; a platform admin has one for every org. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: {
    params: z.object({
      email: trimmedText(254).openapi({ description: 'E-mail address of the person, in any case.' }),
    }),
    query: PageQuery,
  },
  responses: { 200: jsonResponse('A page of roles', listSchema(PersonRoleView)), ...problems(401, 403, 404, 422) },
});

export function listPersonRoles(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const email = c.req.valid('param').email.toLowerCase();
    const reads = cachedReads(deps.store);
    const [orgs, groups, users, listProviderGroups] = await Promise.all([
      reads.list(OrganizationKind, { namespace: systemNamespace }),
      listValidGroups(reads),
      reads.list(UserKind, { namespace: systemNamespace }),
      readCurrentGroups(deps),
    ]);
    const own = users.items.filter(({ spec }) => spec.email.toLowerCase() === email);
    const byNamespace = Map.groupBy(groups, ({ metadata }) => metadata.namespace);
    const roles = orgs.items.flatMap(({ metadata: { name: org } }) => {
      const orgGroups = byNamespace.get(orgNamespace(org)) ?? [];
      const person = listOrgPeople({ groups: orgGroups, users: own, listProviderGroups }).find(
        (found) => found.email === email,
      );
      if (!person) return [];
      const { role, platformAdmin, reasons } = person;
      return [{ org, role, platformAdmin, reasons }];
    });
    return c.json(paginate(c, roles, { toPosition: ({ org }) => [org], query: c.req.valid('query') }), 200);
  });
}
