import { createRoute, z } from '@hono/zod-openapi';
import { rankEntries, wordsMax } from '../../src/rules/find/rank-entries.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { listOrgRoles } from '../access/list-org-roles.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse } from '../http/views.ts';
import { FindIndexes } from './find-indexes.ts';
import { FoundItemView } from './schemas.ts';

/** Above this number of orgs, one index of all namespaces is cheaper than an index of each. */
const separateIndexesMax = 20;

const route = createRoute({
  operationId: 'find',
  method: 'get',
  path: '/v1/find',
  tags: ['Me'],
  summary: 'Find resources by any text',
  description: `Returns Products, zones, open issues, runs, Releases, incidents and domains of the orgs in which the caller has a role, the best match first. Each of the first ${wordsMax} words must match a part of a name, title, label, number (\`#12\`), commit, branch, host or URL. Returns nothing for an org in which the caller has no role, and issues for at most ${separateIndexesMax} orgs: with roles in more orgs, name one in \`org\`.`,
  ...requireRole('signed-in'),
  request: {
    query: z.strictObject({
      q: z.string().max(500).openapi({ description: 'Words to find.', example: 'shop 418' }),
      org: z.string().min(1).max(200).optional().describe('Only this org.'),
      limit: decimal({ min: 1, max: 50 })
        .default(20)
        .openapi({ description: 'Maximum number of results.', default: 20 }),
    }),
  },
  responses: {
    200: jsonResponse(
      'What was found',
      z.object({ items: z.array(FoundItemView).describe('Results, the best match first.') }),
    ),
    ...problems(401, 422),
  },
});

export function find(app: App, { config, store }: ApiDeps): void {
  const indexes = new FindIndexes(config.zoneAddress);
  app.openapi(route, async (c) => {
    const { q, org, limit } = c.req.valid('query');
    const roles = await listOrgRoles(store, c.get('caller'));
    const orgs = new Set(roles.map((one) => one.org).filter((one) => org === undefined || one === org));
    const namespaces = orgs.size > separateIndexesMax ? [undefined] : [...orgs].map(orgNamespace);
    const cache = c.get('responseCache');
    const entries = await Promise.all(namespaces.map(async (namespace) => await indexes.read(cache, namespace)));
    const own = entries.flat().filter(({ item }) => orgs.has(item.org));
    const issues = orgs.size > separateIndexesMax ? [] : await indexes.readIssues(c.get('issueIndex'), own);
    return c.json({ items: rankEntries([...own, ...issues], q, limit).map(({ item }) => item) }, 200);
  });
}
