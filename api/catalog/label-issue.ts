import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { RepoName } from '../../src/rules/names.ts';
import { labelIssueId, type LabelIssueInput } from '../../workflows/catalog/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requestOf } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { runToEnd } from '../run-to-end.ts';
import { answer, body, IssueParams } from '../views.ts';
import { changeOf } from './changes-of.ts';
import { getLivingProduct } from './product.ts';
import { repoOf } from './product-repo.ts';
import { IssueView, issueView } from './schemas.ts';

const labels = z.array(z.string().trim().min(1).max(50)).max(20).default([]);

const route = createRoute({
  operationId: 'labelIssue',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/issues/{number}/labels',
  tags: ['Issues'],
  summary: 'Add and remove labels of an issue; a label added here starts no run',
  ...needs('member'),
  request: {
    params: IssueParams,
    body: body(z.strictObject({ add: labels, remove: labels, repo: RepoName.optional() })),
  },
  responses: { 200: answer('The issue after it', IssueView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function labelIssue(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product, number } = c.req.valid('param');
    const { repo: named, add, remove } = c.req.valid('json');
    if (add.length + remove.length === 0)
      throw invalid('No label is named.', [{ pointer: '/add', detail: 'is missing: name labels here or in remove' }]);
    const repo = repoOf(await getLivingProduct(deps.store, { org, product }), named, '/repo');
    const host = await deps.codehost.forOrg(org);
    await host.issue(repo, number);
    const { id: requestId } = requestOf(c, `labelIssue ${org}/${repo}#${number}`);
    await runToEnd<void>(deps, {
      workflow: 'labelIssue',
      workflowId: labelIssueId({ org, requestId }),
      input: { org, repo, number, add, remove } satisfies LabelIssueInput,
      summary: `label ${repo}#${number}`,
      attributes: { org, product, targetKind: 'issue' },
    });
    const change = await changeOf(deps.store, org, { repo, number });
    return c.json(issueView(await host.issue(repo, number), { repo, change, role: c.get('role') }), 200);
  });
}
