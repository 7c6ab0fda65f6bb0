import { createRoute, z } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { RepoName } from '../../src/rules/names.ts';
import { createIssueId, type CreateIssueInput } from '../../workflows/catalog/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { putAside, requestOf, requestKey } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
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
    const number = await createdNumber(deps, {
      input: { org, repo, requestKey: requestKey(requestId) },
      requestId,
      product,
    });
    const issue = await host.issue(repo, number);
    c.header('Location', issue.url);
    return c.json(issueView(repo, issue), 201);
  });
}

type Creation = { input: CreateIssueInput; requestId: string; product: string };

async function createdNumber({ temporal }: ApiDeps, { input, requestId, product }: Creation): Promise<number> {
  const workflowId = createIssueId({ org: input.org, requestId });
  const { number } = await speaking(temporal, async () => {
    try {
      await temporal.workflow.start('createIssue', {
        taskQueue: defaultTaskQueue,
        workflowId,
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A failed attempt may be tried again with the same key; one that succeeded is answered again.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        args: [input],
        staticSummary: `create an issue on ${input.repo}`,
        typedSearchAttributes: searchAttributes({ org: input.org, product, targetKind: 'issue' }),
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return (await temporal.workflow.getHandle(workflowId).result()) as { number: number };
  });
  return number;
}
