import { createRoute } from '@hono/zod-openapi';
import { withResolution } from '../../src/rules/incidents/handle-incident.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, NamedParams } from '../http/views.ts';
import { updateIncident } from './incident.ts';
import { IncidentResolutionBody, IncidentView } from './schemas.ts';

const route = createRoute({
  operationId: 'resolveIncident',
  method: 'post',
  path: '/v1/orgs/{org}/incidents/{name}/resolve',
  tags: ['Incidents'],
  summary: 'Resolve an incident',
  description:
    'Resolves the incident with what fixed it. If its alert still fires, the incident stays resolved until the alert clears and fires again. Fails with 409 if it is resolved.',
  ...requireRole('member'),
  request: { params: NamedParams, body: body(IncidentResolutionBody) },
  responses: { 200: jsonResponse('The incident', IncidentView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function resolveIncident(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const resolution = c.req.valid('json');
    const view = await updateIncident(c, deps, {
      ref,
      change: (incident, act) => withResolution(incident, { ...act, ...resolution }),
    });
    return c.json(view, 200);
  });
}
