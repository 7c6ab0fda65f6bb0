import { createRoute } from '@hono/zod-openapi';
import { withNote } from '../../src/rules/incidents/handle-incident.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, NamedParams } from '../http/views.ts';
import { updateIncident } from './incident.ts';
import { IncidentNoteBody, IncidentView } from './schemas.ts';

const route = createRoute({
  operationId: 'addIncidentNote',
  method: 'post',
  path: '/v1/orgs/{org}/incidents/{name}/notes',
  tags: ['Incidents'],
  summary: 'Add a note to an incident',
  description: 'Adds a note to the timeline, even if the incident is resolved. Fails with 409 if the timeline is full.',
  ...requireRole('member'),
  request: { params: NamedParams, body: body(IncidentNoteBody) },
  responses: { 200: jsonResponse('The incident', IncidentView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function addIncidentNote(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const note = c.req.valid('json');
    const view = await updateIncident(c, deps, {
      ref,
      change: (incident, act) => withNote(incident, { ...act, ...note }),
    });
    return c.json(view, 200);
  });
}
