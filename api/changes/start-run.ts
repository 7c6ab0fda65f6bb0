import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { invalid } from '../../src/errors.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { RunTarget } from '../../src/rules/changes/kinds.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { NameLabel, RepoName, trimmedText } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import type { RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import { getProductWithRepo } from '../products/product.ts';
import { resolveRepo } from '../products/resolve-repo.ts';
import type { ApiDeps, App } from '../deps.ts';
import { stashPayload, identifyRequest, requestBlobKey } from '../temporal/idempotency.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { startRunWorkflow } from './start-run-workflow.ts';
import { getRunByName, buildRunView } from './run-view.ts';
import { RunView } from './schemas.ts';

const number = z.int().min(1);
const StartRunBody = z.strictObject({
  agentWorkflow: NameLabel.describe('AgentWorkflow to execute.'),
  product: NameLabel.describe('Product to work on.'),
  target: z
    .strictObject({
      repo: RepoName.optional().describe(
        'Repo of the issue or pull request; may be omitted if the Product has one repo.',
      ),
      number: number.describe('Number of the issue or pull request.'),
      kind: RunTarget.shape.kind.describe(
        'Defaults to `issue`; a run with a pull request commits to that pull request.',
      ),
    })
    .optional()
    .describe('Issue or pull request to work on.'),
  issue: number.optional().openapi({ description: 'Shorthand for `target.number`.' }),
  pullRequest: number
    .optional()
    .openapi({ description: 'Pull request to work on. The run opens no other pull request.' }),
  instructions: trimmedText(20_000).optional().openapi({ description: 'The task of a run without an issue.' }),
});
type StartRunBody = z.infer<typeof StartRunBody>;

const route = createRoute({
  operationId: 'startRun',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns',
  tags: ['Changes'],
  summary: 'Start a run of an AgentWorkflow',
  description:
    'Starts at most one run per target: fails with 409 while one is in progress, and with 429 when the org’s hourly limit for the target or its quota of runs in progress is reached.',
  ...requireRole('member'),
  request: { params: OrgParams, body: body(StartRunBody) },
  responses: {
    201: jsonResponse('The started run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function startRun(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const requested = c.req.valid('json');
    const request = identifyRequest(c, `startRun ${org}`);
    const prepare = async (): Promise<RunAgentWorkflowInput> => {
      const target = await resolveTarget(deps, org, requested);
      if (target) await assertTargetOpen(await deps.codehost.forOrg(org), target);
      const { agentWorkflow, product, instructions } = requested;
      const instructionsKey = instructions === undefined ? undefined : requestBlobKey(request.id);
      if (instructions !== undefined) await stashPayload(deps.blobs, request.id, instructions);
      const startedBy = c.get('caller').email;
      return { org, agentWorkflow, product, startedBy, requestId: request.id, ...defined({ target, instructionsKey }) };
    };
    const name = await startRunWorkflow(deps, { org, request, payload: requested, prepare });
    const run = await getRunByName(deps.store, { org, run: name });
    setETag(c, run.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentworkflowruns/${name}`);
    return c.json(await buildRunView(deps.store, run, getViewer(c, org)), 201);
  });
}

async function resolveTarget({ store }: ApiDeps, org: string, requested: StartRunBody): Promise<RunTarget | undefined> {
  const product = await getProductWithRepo(store, { org, product: requested.product });
  const agentWorkflow = await store.get(AgentWorkflowKind, {
    namespace: orgNamespace(org),
    name: requested.agentWorkflow,
  });
  if (isRejected(agentWorkflow))
    throw invalid(
      `The AgentWorkflow "${requested.agentWorkflow}" is not valid. Fix what its condition \`Accepted\` names.`,
      [{ pointer: '/agentWorkflow', detail: 'is not valid' }],
    );
  const { spec } = agentWorkflow;
  const requestedTarget = parseRequestedTarget(requested);
  // The AgentRoles of a scheduled AgentWorkflow define its task, so a manual start needs no target either.
  if (requestedTarget === undefined && requested.instructions === undefined && !isScheduled(spec))
    throw invalid('The run has no issue, pull request or instructions.', [
      { pointer: '/issue', detail: 'is missing: send the number of an issue or pull request, or instructions' },
    ]);
  const commenting = spec.steps.find((step) => step.type === 'agent' && step.deliver === 'issue');
  if (requestedTarget === undefined && commenting)
    throw invalid(
      `The step "${commenting.name}" of "${requested.agentWorkflow}" comments on an issue, and the run has none.`,
      [{ pointer: '/issue', detail: 'is missing: send the number of an issue' }],
    );
  if (requestedTarget === undefined && isScheduled(spec) && product.spec.repos.length > 0) return undefined;
  const repo = resolveRepo(product, requestedTarget?.repo, '/target/repo');
  if (requestedTarget === undefined) return undefined;
  const { number, kind } = requestedTarget;
  return kind === 'pull-request' ? { repo, number, kind } : { repo, number };
}

async function assertTargetOpen(codehost: OrgCodehost, { repo, number, kind }: RunTarget): Promise<void> {
  if (kind !== 'pull-request') {
    await codehost.getIssue(repo, number);
    return;
  }
  const pullRequest = await codehost.getPullRequest(repo, number);
  if (pullRequest.state === 'closed')
    throw invalid(`Pull request #${number} of ${repo} is ${pullRequest.merged ? 'merged' : 'closed'}.`, [
      { pointer: '/pullRequest', detail: 'is not open: reopen it, or choose another pull request' },
    ]);
}

type RequestedTarget = { repo?: string | undefined; number: number; kind?: RunTarget['kind'] };

/** A request may name its target in one of three fields, but not in two of them. */
function parseRequestedTarget({ target, issue, pullRequest }: StartRunBody): RequestedTarget | undefined {
  const targets: (RequestedTarget & { field: string })[] = [
    ...(target ? [{ ...target, field: 'target' }] : []),
    ...(issue === undefined ? [] : [{ number: issue, field: 'issue' }]),
    ...(pullRequest === undefined
      ? []
      : [{ number: pullRequest, kind: 'pull-request' as const, field: 'pullRequest' }]),
  ];
  const [first, second] = targets;
  if (first && second)
    throw invalid('A run has one target, and the request names more.', [
      { pointer: `/${second.field}`, detail: `cannot be combined with ${first.field}: omit one of them` },
    ]);
  return first;
}
