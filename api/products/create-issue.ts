import { createRoute, z } from '@hono/zod-openapi';
import { RepoName, titleText } from '../../src/rules/names.ts';
import { createIssueStart } from '../../workflows/products/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { stashPayload, identifyRequest, requestBlobKey } from '../temporal/idempotency.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { executeWorkflow } from '../temporal/execute-workflow.ts';
import { jsonResponse, body, ProductParams } from '../http/views.ts';
import { getProductWithRepo } from './product.ts';
import { resolveRepo } from './resolve-repo.ts';
import { IssueView, toIssueView } from './schemas.ts';

const route = createRoute({
  operationId: 'createIssue',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/issues',
  tags: ['Issues'],
  summary: 'Create an issue in one of a Product’s repos',
  description:
    '`repo` may be omitted if the Product has one repo. A retry with the same `Idempotency-Key` returns the same issue.',
  ...requireRole('member'),
  request: {
    params: ProductParams,
    body: body(
      z.strictObject({
        title: titleText(250).describe('Title of the issue.'),
        body: z.string().max(60_000).default('').describe('Text of the issue in Markdown.'),
        labels: z.array(z.string().min(1).max(50)).max(20).default([]).describe('Labels of the issue.'),
        repo: RepoName.optional().describe('Repo of the issue; may be omitted if the Product has one repo.'),
      }),
    ),
  },
  responses: {
    201: jsonResponse('The created issue', IssueView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function createIssue(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const { repo: requestedRepo, ...content } = c.req.valid('json');
    const repo = resolveRepo(await getProductWithRepo(deps.store, { org, product }), requestedRepo, '/repo');
    const codehost = await deps.codehost.forOrg(org);
    const { id: requestId } = identifyRequest(c, `createIssue ${org}/${product} ${repo}`);
    await stashPayload(deps.blobs, requestId, JSON.stringify(content));
    const payloadKey = requestBlobKey(requestId);
    const { number } = await executeWorkflow(deps, createIssueStart({ org, product, repo, requestId, payloadKey }));
    c.get('issueIndex').markChanged({ org, repo });
    const issue = await codehost.getIssue(repo, number);
    return c.json(toIssueView(issue, { repo, role: c.get('role') }), 201);
  });
}
