import { createRoute } from '@hono/zod-openapi';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsEventStream, streamEvents } from '../http/event-stream.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonOrEventStream, NamedParams } from '../http/views.ts';
import { incidentRef, toIncidentView } from './incident.ts';
import { IncidentView } from './schemas.ts';

const route = createRoute({
  operationId: 'getIncident',
  method: 'get',
  path: '/v1/orgs/{org}/incidents/{name}',
  tags: ['Incidents'],
  summary: 'Get an incident',
  description: 'Includes its timeline. With `Accept: text/event-stream`, streams its updates.',
  ...requireRole('viewer'),
  request: { params: NamedParams },
  responses: { 200: jsonOrEventStream('The incident', IncidentView), ...problems(401, 403, 404, 429) },
});

export function getIncident(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { namespace, name } = incidentRef(ref);
    const incident = await store.get(IncidentKind, { namespace, name });
    if (acceptsEventStream(c))
      return streamEvents(c, deps, {
        kind: IncidentKind,
        watch: { namespace, name },
        list: () => cachedReads(store).list(IncidentKind, { namespace, fields: { 'metadata.name': name } }),
        toView: async (current) => toIncidentView(current, ref.org, c.get('role')),
      });
    setETag(c, incident.metadata.resourceVersion);
    return c.json(toIncidentView(incident, ref.org, c.get('role')), 200);
  });
}
