import { createRoute, z } from '@hono/zod-openapi';
import { RepoName } from '../../src/rules/names.ts';
import { createIssueId, type CreateIssueInput } from '../../workflows/catalog/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { putAside, requestOf, requestKey } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { runToEnd } from '../run-to-end.ts';
import { answer, body, ProductParams } from '../views.ts';
import { getLivingProduct } from './product.ts';
import { repoOf } from './product-repo.ts';
import { IssueView, issueView } from './schemas.ts';

const route = createRoute({
  operationId: 'createIssue',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/issues',
  tags: ['Issues'],
  summary: 'Create an issue on one of a Product’s repos',
  ...needs('member'),
  request: {
    params: ProductParams,
    body: body(
      z.strictObject({
        title: z.string().trim().min(1).max(250),
        body: z.string().max(60_000).default(''),
        labels: z.array(z.string().min(1).max(50)).max(20).default([]),
        repo: RepoName.optional(),
      }),
    ),
  },
  responses: { 201: answer('The issue', IssueView), ...problems(400, 401, 403, 404, 413, 415, 422, 503) },
});

export function createIssue(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const { repo: named, ...text } = c.req.valid('json');
    const repo = repoOf(await getLivingProduct(deps.store, { org, product }), named, '/repo');
    const host = await deps.codehost.forOrg(org);
    const { id: requestId } = requestOf(c, `createIssue ${org}/${product} ${repo}`);
    await putAside(deps.blobs, requestId, JSON.stringify(text));
    const { number } = await runToEnd<{ number: number }>(deps, {
      workflow: 'createIssue',
      workflowId: createIssueId({ org, requestId }),
      input: { org, repo, requestKey: requestKey(requestId) } satisfies CreateIssueInput,
      summary: `create an issue on ${repo}`,
      attributes: { org, product, targetKind: 'issue' },
    });
    const issue = await host.issue(repo, number);
    c.header('Location', issue.url);
    return c.json(issueView(issue, { repo, role: c.get('role') }), 201);
  });
}
