import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { RunTarget } from '../../src/rules/changes/kinds.ts';
import { NameLabel, RepoName } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import type { RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import { getLivingProduct } from '../catalog/product.ts';
import { repoOf } from '../catalog/product-repo.ts';
import type { ApiDeps, App } from '../deps.ts';
import { putAside, requestOf, requestKey } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { openRun } from './open-run.ts';
import { getRunOf, runView } from './run-view.ts';
import { RunView } from './schemas.ts';

const number = z.int().min(1);
const StartRunBody = z.strictObject({
  agentWorkflow: NameLabel,
  product: NameLabel,
  target: z.strictObject({ repo: RepoName.optional(), number, kind: RunTarget.shape.kind }).optional(),
  issue: number.optional().openapi({ description: 'Short for `target.number`.' }),
  pullRequest: number
    .optional()
    .openapi({ description: 'A pull request that is itself the Change: no other is opened.' }),
  instructions: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .optional()
    .openapi({ description: 'What to do, where there is no issue to say it.' }),
});
type StartRunBody = z.infer<typeof StartRunBody>;

const route = createRoute({
  operationId: 'startRun',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns',
  tags: ['Changes'],
  summary: 'Start a run of an AgentWorkflow by hand',
  ...needs('member'),
  request: { params: OrgParams, body: body(StartRunBody) },
  responses: { 201: answer('The run', RunView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
});

export function startRun(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const asked = c.req.valid('json');
    const target = await checkedTarget(deps, org, asked);
    const request = requestOf(c, `startRun ${org}`);
    const input: RunAgentWorkflowInput = {
      org,
      agentWorkflow: asked.agentWorkflow,
      product: asked.product,
      startedBy: c.get('caller').email,
      requestId: request.id,
      ...(target && { target }),
      ...(asked.instructions !== undefined && { instructionsKey: requestKey(request.id) }),
    };
    if (asked.instructions !== undefined) await putAside(deps.blobs, request.id, asked.instructions);
    const name = await openRun(deps, input, request);
    const run = await getRunOf(deps.store, { org, run: name });
    tagged(c, run.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentworkflowruns/${name}`);
    return c.json(await runView(deps.store, run, { org, role: c.get('role') }), 201);
  });
}

async function checkedTarget(
  { store, codehost }: ApiDeps,
  org: string,
  asked: StartRunBody,
): Promise<RunTarget | undefined> {
  const product = await getLivingProduct(store, { org, product: asked.product });
  const { spec } = await store.get(AgentWorkflowKind, { namespace: orgNamespace(org), name: asked.agentWorkflow });
  const wanted = wantedTarget(asked);
  // What runs by schedule is told what to do by its AgentRoles alone: by hand too.
  if (wanted === undefined && asked.instructions === undefined && !isScheduled(spec))
    throw invalid('A run needs to know what it is about.', [
      { pointer: '/issue', detail: 'is missing: give the number of an issue or a pull request, or instructions' },
    ]);
  const commenting = spec.steps.find((step) => step.type === 'agent' && step.deliver === 'issue');
  if (wanted === undefined && commenting)
    throw invalid(`The step "${commenting.name}" of "${asked.agentWorkflow}" comments on an issue.`, [
      { pointer: '/issue', detail: 'is missing: give the number of an issue' },
    ]);
  if (wanted === undefined && isScheduled(spec) && product.spec.repos.length > 0) return undefined;
  const repo = repoOf(product, wanted?.repo, '/target/repo');
  if (wanted === undefined) return undefined;
  const host = await codehost.forOrg(org);
  const { number, kind } = wanted;
  if (kind !== 'pull-request') {
    await host.issue(repo, number);
    return { repo, number };
  }
  const pull = await host.pullRequest(repo, number);
  if (pull.state === 'closed')
    throw invalid(`Pull request #${number} of ${repo} is ${pull.merged ? 'merged' : 'closed'}.`, [
      { pointer: '/pullRequest', detail: 'is not open: reopen it, or name another' },
    ]);
  return { repo, number, kind };
}

type Wanted = { repo?: string | undefined; number: number; kind?: RunTarget['kind'] };

/** Named in one of three ways, and only in one. */
function wantedTarget({ target, issue, pullRequest }: StartRunBody): Wanted | undefined {
  const named: (Wanted & { field: string })[] = [
    ...(target ? [{ ...target, field: 'target' }] : []),
    ...(issue === undefined ? [] : [{ number: issue, field: 'issue' }]),
    ...(pullRequest === undefined
      ? []
      : [{ number: pullRequest, kind: 'pull-request' as const, field: 'pullRequest' }]),
  ];
  const [first, second] = named;
  if (first && second)
    throw invalid('The run is about one issue or pull request.', [
      { pointer: `/${second.field}`, detail: `says the same as ${first.field}: leave one out` },
    ]);
  return first;
}
