import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { RepoName } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { cutPage } from '../read-page.ts';
import { answer, listSchema, PageQuery, ProductParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { IssueView, issueView } from './schemas.ts';

const route = createRoute({
  operationId: 'listIssues',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/issues',
  tags: ['Issues'],
  summary: 'List the issues of a Product’s repos',
  ...needs('viewer'),
  request: {
    params: ProductParams,
    query: PageQuery.extend({ state: z.enum(['open', 'closed', 'all']).default('open'), repo: RepoName.optional() }),
  },
  responses: { 200: answer('The issues', listSchema(IssueView)), ...problems(401, 403, 404, 409, 422, 503) },
});

export function listIssues(app: App, { store, codehost }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const { state, repo, ...page } = c.req.valid('query');
    const { spec } = await getProductOf(store, { org, product });
    if (repo !== undefined && !spec.repos.includes(repo))
      throw invalid(`${repo} is no repo of the Product "${product}".`, [
        { pointer: '?repo', detail: `must be one of ${spec.repos.join(', ')}` },
      ]);
    const repos = repo === undefined ? spec.repos : [repo];
    const host = repos.length > 0 ? await codehost.forOrg(org) : undefined;
    const found = await Promise.all(
      repos.map(async (name) => ((await host?.issues(name, { state })) ?? []).map((issue) => issueView(name, issue))),
    );
    return c.json(
      cutPage(found.flat(), (issue) => `${issue.repo}#${issue.number}`, page),
      200,
    );
  });
}
