import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { RepoName, trimmedText } from '../../src/rules/names.ts';
import { labelIssueStart } from '../../workflows/products/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { executeWorkflow } from '../temporal/execute-workflow.ts';
import { jsonResponse, body, IssueParams } from '../http/views.ts';
import { findLastChange } from './last-changes.ts';
import { getActiveProduct } from './product.ts';
import { resolveRepo } from './resolve-repo.ts';
import { IssueView, toIssueView } from './schemas.ts';

const labels = z.array(trimmedText(50)).max(20).default([]);

const route = createRoute({
  operationId: 'labelIssue',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/issues/{number}/labels',
  tags: ['Issues'],
  summary: 'Add or remove labels of an issue',
  description: 'A label that is added counts as an event of the caller, and starts the runs whose triggers it matches.',
  ...requireRole('member'),
  request: {
    params: IssueParams,
    body: body(
      z.strictObject({
        add: labels.describe('Labels to add.'),
        remove: labels.describe('Labels to remove.'),
        repo: RepoName.optional().describe('Repo of the issue; may be omitted if the Product has one repo.'),
      }),
    ),
  },
  responses: {
    200: jsonResponse('The updated issue', IssueView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function labelIssue(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product, number } = c.req.valid('param');
    const { repo: requestedRepo, add, remove } = c.req.valid('json');
    if (add.length + remove.length === 0)
      throw invalid('The request names no labels. List labels in add or remove.', [
        { pointer: '/add', detail: 'is empty: list labels in add or remove' },
      ]);
    const repo = resolveRepo(await getActiveProduct(deps.store, { org, product }), requestedRepo, '/repo');
    const codehost = await deps.codehost.forOrg(org);
    await codehost.getIssue(repo, number);
    const { id: requestId } = identifyRequest(c, `labelIssue ${org}/${repo}#${number}`);
    await executeWorkflow(
      deps,
      labelIssueStart({ org, product, repo, number, requestId, add, remove, by: c.get('caller').email }),
    );
    const change = await findLastChange(deps.store, org, { repo, number });
    return c.json(toIssueView(await codehost.getIssue(repo, number), { repo, change, role: c.get('role') }), 200);
  });
}
