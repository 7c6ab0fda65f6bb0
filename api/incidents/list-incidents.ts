import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind, IncidentSeverity, incidentStates, type Incident } from '../../src/rules/incidents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsEventStream, streamEvents } from '../http/event-stream.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonOrEventStream, listSchema, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { toIncidentView } from './incident.ts';
import { IncidentView } from './schemas.ts';

const IncidentsQuery = listQuery('-createdAt')
  .omit({ sort: true })
  .extend({
    product: NameLabel.optional().describe('Only incidents of this Product.'),
    zone: NameLabel.optional().describe('Only incidents of this zone.'),
    severity: IncidentSeverity.optional().describe('Only incidents of this severity.'),
    state: z
      .enum([...incidentStates, 'Unresolved'])
      .optional()
      .describe('Only incidents in this state. `Unresolved` is `Open` or `Acknowledged`.'),
  });
type IncidentsQuery = z.infer<typeof IncidentsQuery>;

const route = createRoute({
  operationId: 'listIncidents',
  method: 'get',
  path: '/v1/orgs/{org}/incidents',
  tags: ['Incidents'],
  summary: 'List the incidents of an org',
  description:
    'Returns open incidents first, then acknowledged and resolved ones, each the newest first. `since` and `until` are compared with the time at which an incident opened. With `Accept: text/event-stream`, streams the incidents and their updates.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: IncidentsQuery },
  responses: {
    200: jsonOrEventStream('The incidents', listSchema(IncidentView)),
    ...problems(401, 403, 404, 422, 429),
  },
});

export function listIncidents(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    const namespace = orgNamespace(org);
    const fields = defined({ 'spec.product': query.product, 'spec.zone': query.zone });
    if (acceptsEventStream(c)) {
      await getOrganization(store, org);
      return streamEvents(c, deps, {
        kind: IncidentKind,
        watch: { namespace },
        list: () => cachedReads(store).list(IncidentKind, { namespace, fields }),
        toView: async (incident) =>
          matchesQuery(incident, query) ? toIncidentView(incident, org, c.get('role')) : undefined,
      });
    }
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items } = await reads.list(IncidentKind, { namespace, fields });
      const page = paginate(
        c,
        items.filter((incident) => matchesQuery(incident, query)),
        { toPosition, query },
      );
      return { ...page, items: page.items.map((incident) => toIncidentView(incident, org, c.get('role'))) };
    });
  });
}

function toPosition(incident: Incident): (string | number)[] {
  const { state, openedAt } = getIncidentStatus(incident);
  return [incidentStates.indexOf(state), -Date.parse(openedAt), incident.metadata.name];
}

function matchesQuery(incident: Incident, query: IncidentsQuery): boolean {
  const { spec, metadata } = incident;
  const { state, openedAt } = getIncidentStatus(incident);
  const opened = { ...incident, metadata: { ...metadata, creationTimestamp: openedAt } };
  return (
    (query.product === undefined || spec.product === query.product) &&
    (query.zone === undefined || spec.zone === query.zone) &&
    (query.severity === undefined || spec.severity === query.severity) &&
    (query.state === undefined || (query.state === 'Unresolved' ? state !== 'Resolved' : state === query.state)) &&
    matchesListQuery(opened, query, [spec.title, spec.alert?.name, spec.alert?.slo])
  );
}
