import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, Scheduling } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import { schedulingAnnotations } from '../../src/rules/scheduling/judge-schedule.ts';
import { getOrganization } from '../catalog/org.ts';
import { OrganizationView, organizationView } from '../catalog/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale, tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { wakeSchedules } from './wake-schedules.ts';

const route = createRoute({
  operationId: 'putScheduling',
  method: 'put',
  path: '/v1/orgs/{org}/scheduling',
  tags: ['Scheduling'],
  summary: 'Turn the scheduled runs of an org on or off, and say in which time zone its schedules are read',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(Scheduling) },
  responses: { 200: answer('The org', OrganizationView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function putScheduling(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const current = await getOrganization(store, c.req.valid('param').org);
    refuseStale(current, { resourceVersion: ifMatch(c) });
    const scheduling = c.req.valid('json');
    const { metadata, spec } = current;
    const annotations = schedulingAnnotations(current, scheduling, now());
    const replaced = await store.replace(OrganizationKind, {
      ...current,
      metadata: { ...metadata, annotations },
      spec: { ...spec, scheduling },
    });
    const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(metadata.name) });
    const scheduled = items.filter((agentWorkflow) => isScheduled(agentWorkflow.spec));
    await wakeSchedules(
      temporal,
      metadata.name,
      scheduled.map((agentWorkflow) => agentWorkflow.metadata.name),
    );
    tagged(c, replaced.metadata.resourceVersion);
    return c.json(organizationView(replaced, c.get('role')), 200);
  });
}
