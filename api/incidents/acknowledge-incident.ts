import { createRoute } from '@hono/zod-openapi';
import { withAcknowledgement } from '../../src/rules/incidents/handle-incident.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { updateIncident } from './incident.ts';
import { IncidentView } from './schemas.ts';

const route = createRoute({
  operationId: 'acknowledgeIncident',
  method: 'post',
  path: '/v1/orgs/{org}/incidents/{name}/acknowledge',
  tags: ['Incidents'],
  summary: 'Acknowledge an incident',
  description:
    'Shows everyone that a person handles the incident. Has no effect if it is already acknowledged; fails with 409 if it is resolved.',
  ...requireRole('member'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The incident', IncidentView), ...problems(401, 403, 404, 409) },
});

export function acknowledgeIncident(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    return c.json(await updateIncident(c, deps, { ref, change: withAcknowledgement }), 200);
  });
}
