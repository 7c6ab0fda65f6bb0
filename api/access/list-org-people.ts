import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { type OrgPerson, toVisiblePeople } from '../../src/rules/access/list-org-people.ts';
import { isRoleAtLeast, orgRoles, type OrgRole } from '../../src/rules/access/roles.ts';
import { trimmedText } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { readOrgPeople } from './read-org-people.ts';
import { OrgPersonView, PeopleCounts } from './schemas.ts';

const route = createRoute({
  operationId: 'listOrgPeople',
  method: 'get',
  path: '/v1/access/orgs/{org}/people',
  tags: ['Access'],
  summary: 'List who has a role in an org, and why',
  description:
    'Returns the people of the org by e-mail address, with their highest role and each access group that gives one. People of a provider group are known once they have signed in. Platform admins, who have every role, are shown to org admins only.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: PageQuery.extend({
      person: trimmedText(254)
        .optional()
        .openapi({ description: 'Only the person with this e-mail address, in any case.' }),
      role: z.enum(orgRoles).optional().openapi({ description: 'Only people with this role or a higher one.' }),
      operation: trimmedText(100)
        .optional()
        .openapi({ description: 'Only people who may call the operation with this operationId.' }),
    }),
  },
  responses: {
    200: jsonResponse('A page of people', listSchema(OrgPersonView).extend({ counts: PeopleCounts })),
    ...problems(401, 403, 404, 422),
  },
});

export function listOrgPeople(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { person, role, operation, ...query } = c.req.valid('query');
    await getOrganization(deps.store, org);
    const least = operation === undefined ? undefined : getRequiredRole(app, operation);
    const matches = (found: OrgPerson): boolean =>
      (person === undefined || found.email === person.toLowerCase()) &&
      (role === undefined || isRoleAtLeast(found.role, role)) &&
      (least === undefined || (least === 'platform-admin' ? found.platformAdmin : isRoleAtLeast(found.role, least)));
    const people = toVisiblePeople(await readOrgPeople(deps, org), c.get('role')).filter(matches);
    const page = paginate(c, people, { toPosition: ({ email }) => [email], query });
    return c.json({ ...page, counts: countRoles(people) }, 200);
  });
}

function countRoles(people: readonly OrgPerson[]): Record<OrgRole, number> {
  const counts = { viewer: 0, member: 0, 'org-admin': 0 };
  for (const { role } of people) counts[role] += 1;
  return counts;
}

type Declared = { operationId?: string; 'x-role'?: string; path: string };

/** Returns the role that an operation of orgs requires, or `platform-admin`. */
function getRequiredRole(app: App, operation: string): OrgRole | 'platform-admin' {
  const declared = app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === 'route' ? [definition.route as unknown as Declared] : [],
  );
  const found = declared.find(({ operationId }) => operationId === operation);
  const role = [...orgRoles, 'platform-admin' as const].find((each) => each === found?.['x-role']);
  if (role !== undefined) return role;
  const detail = found ? 'requires no role in an org' : 'is not the operationId of an operation';
  throw invalid(`The operation "${operation}" ${detail}.`, [{ pointer: '?operation', detail }]);
}
