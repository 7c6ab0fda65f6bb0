import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { catalogAgentWorkflows, catalogNames } from '../../src/rules/agents/catalog.ts';
import { AgentWorkflowKind, AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import { takenUpAnnotation } from '../../src/rules/taken-up.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { wakeSchedules } from '../scheduling/wake-schedules.ts';
import { answer, body, OrgParams } from '../views.ts';
import { createRolesOf } from './catalog-roles.ts';
import { checkAgentWorkflow } from './check-agent-workflow.ts';
import { AgentWorkflowView, agentWorkflowView } from './schemas.ts';

const NewAgentWorkflowBody = z.strictObject({
  name: NameLabel,
  spec: AgentWorkflowSpec.optional(),
  from: z.enum(catalogNames).optional().openapi({
    description: 'Instead of `spec`: the one of the catalog, made with those of its AgentRoles that the org lacks.',
  }),
});

const route = createRoute({
  operationId: 'createAgentWorkflow',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflows',
  tags: ['Agents'],
  summary: 'Create an AgentWorkflow, by its spec or from the catalog',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(NewAgentWorkflowBody) },
  responses: {
    201: answer('The AgentWorkflow', AgentWorkflowView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function createAgentWorkflow(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, ...asked } = c.req.valid('json');
    await getOrganization(store, org);
    const spec = specOf(asked);
    if (asked.from !== undefined) await createRolesOf(store, org, spec);
    await checkAgentWorkflow(store, org, spec);
    const annotations = { [takenUpAnnotation]: '1' };
    const created = await store.create(AgentWorkflowKind, {
      metadata: { namespace: orgNamespace(org), name, annotations },
      spec,
    });
    if (isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
    tagged(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentworkflows/${name}`);
    return c.json(agentWorkflowView(created, c.get('role')), 201);
  });
}

function specOf({ spec, from }: Pick<z.infer<typeof NewAgentWorkflowBody>, 'spec' | 'from'>): AgentWorkflowSpec {
  if (spec && from === undefined) return spec;
  if (!spec && from !== undefined) return catalogAgentWorkflows[from];
  const detail = spec ? 'leave it out, or spec' : `is missing: give it, or from (${catalogNames.join(', ')})`;
  throw invalid('An AgentWorkflow comes either from its spec or from the catalog.', [
    { pointer: spec ? '/from' : '/spec', detail },
  ]);
}
