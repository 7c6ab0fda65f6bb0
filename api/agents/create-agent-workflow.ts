import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { defaultAgentWorkflows, defaultAgentWorkflowNames } from '../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind, AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import { acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { createOnce } from '../http/create-once.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { wakeSchedules } from '../../src/reconcile/wake-schedules.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { createMissingRoles } from '../../src/reconcile/create-missing-roles.ts';
import { assertValidAgentWorkflow } from '../../src/reconcile/assert-valid-agent-workflow.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { AgentWorkflowView, toAgentWorkflowView } from './schemas.ts';

const NewAgentWorkflowBody = z.strictObject({
  name: NameLabel.describe('Name of the AgentWorkflow, unique in the org.'),
  spec: AgentWorkflowSpec.optional().describe('Definition of the AgentWorkflow.'),
  template: z.enum(defaultAgentWorkflowNames).optional().openapi({
    description: 'Default AgentWorkflow to copy instead of sending a `spec`. Its missing AgentRoles are created too.',
  }),
});

const route = createRoute({
  operationId: 'createAgentWorkflow',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflows',
  tags: ['Agents'],
  summary: 'Create an AgentWorkflow',
  description: 'Requires either a `spec` or a `template`.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(NewAgentWorkflowBody) },
  responses: {
    201: jsonResponse('The created AgentWorkflow', AgentWorkflowView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function createAgentWorkflow(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, ...source } = c.req.valid('json');
    await getOrganization(store, org);
    const spec = resolveSpec(source);
    if (source.template !== undefined) await createMissingRoles(store, org, spec);
    await assertValidAgentWorkflow(store, org, spec);
    const identity = identifyRequest(c, `createAgentWorkflow ${org} ${name}`);
    const annotations = { [acceptedGenerationAnnotation]: '1', ...applyingMark(now()) };
    const metadata = { namespace: orgNamespace(org), name, annotations };
    const created = await createOnce(store, { kind: AgentWorkflowKind, identity }, { metadata, spec });
    const workflow = await finishApplying(store, {
      kind: AgentWorkflowKind,
      object: created,
      async follow() {
        if (isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
      },
    });
    setETag(c, workflow.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentworkflows/${name}`);
    return c.json(toAgentWorkflowView(workflow, c.get('role')), 201);
  });
}

type SpecSource = Pick<z.infer<typeof NewAgentWorkflowBody>, 'spec' | 'template'>;

function resolveSpec({ spec, template }: SpecSource): AgentWorkflowSpec {
  if (spec && template === undefined) return spec;
  if (!spec && template !== undefined) return defaultAgentWorkflows[template];
  const detail = spec
    ? 'cannot be combined with spec: omit one of them'
    : `is missing: send a spec, or a template (${defaultAgentWorkflowNames.join(', ')})`;
  throw invalid('An AgentWorkflow requires either a spec or a template.', [
    { pointer: spec ? '/template' : '/spec', detail },
  ]);
}
