import { createRoute } from '@hono/zod-openapi';
import { OrganizationKind, SchedulingSettings } from '../../src/rules/orgs/kinds.ts';
import { orgScheduleAnnotations } from '../../src/rules/scheduling/judge-schedule.ts';
import { getOrganization } from '../orgs/org.ts';
import { OrganizationView, toOrganizationView } from '../orgs/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition, setETag } from '../http/preconditions.ts';
import { withAcceptedSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { wakeOrgSchedules } from '../../src/reconcile/wake-schedules.ts';

const route = createRoute({
  operationId: 'putScheduling',
  method: 'put',
  path: '/v1/orgs/{org}/scheduling',
  tags: ['Scheduling'],
  summary: 'Replace the scheduling settings of an org',
  description:
    'Enables or disables scheduled runs and sets the time zone of all schedules; an empty time zone is UTC. Requires the role org-admin. Fails with 412 if the org changed since it was read (`If-Match`).',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: OrgParams, body: body(SchedulingSettings) },
  responses: {
    200: jsonResponse('The updated org', OrganizationView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putScheduling(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const current = await getOrganization(store, c.req.valid('param').org);
    assertCurrent(current, readPrecondition(c));
    const scheduling = c.req.valid('json');
    const { metadata } = current;
    const annotations = { ...orgScheduleAnnotations(current, scheduling, now()), ...applyingMark(now()) };
    const replacement = withAcceptedSpec(current, { ...current.spec, scheduling }, annotations);
    const replaced = await store.replace(OrganizationKind, replacement);
    const org = await finishApplying(store, {
      kind: OrganizationKind,
      object: replaced,
      follow: async () => await wakeOrgSchedules({ store, temporal }, metadata.name),
    });
    setETag(c, org.metadata.resourceVersion);
    return c.json(toOrganizationView(org, c.get('role')), 200);
  });
}
