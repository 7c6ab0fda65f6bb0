import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { ReleaseKind, releasePhases, type Release } from '../../src/rules/releases/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { listQuery, matchesListQuery, startedByFilter } from '../http/list-query.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonOrEventStream, listSchema, OrgParams } from '../http/views.ts';
import { buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const ReleasesQuery = listQuery('-createdAt').extend({
  product: NameLabel.optional().describe('Only Releases of this Product.'),
  phase: z.enum(releasePhases).optional().describe('Only Releases in this phase.'),
  ...startedByFilter,
});
type ReleasesQuery = z.infer<typeof ReleasesQuery>;

const route = createRoute({
  operationId: 'listReleases',
  method: 'get',
  path: '/v1/orgs/{org}/releases',
  tags: ['Releases'],
  summary: 'List the Releases of an org',
  description:
    'Returns the newest Release first. With `Accept: text/event-stream`, streams the Releases and their updates.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: ReleasesQuery,
  },
  responses: { 200: jsonOrEventStream('The Releases', listSchema(ReleaseView)), ...problems(401, 403, 404, 422, 429) },
});

export function listReleases(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    const namespace = orgNamespace(org);
    const fields = defined({ 'spec.product': query.product, 'status.phase': query.phase });
    if (acceptsEventStream(c)) {
      await getOrganization(store, org);
      return streamEvents(c, deps, {
        kind: ReleaseKind,
        watch: { namespace },
        list: () => cachedReads(store).list(ReleaseKind, { namespace, fields }),
        toView: async (release) =>
          matchesQuery(release, query)
            ? await buildReleaseView(cachedReads(store), release, getViewer(c, org))
            : undefined,
      });
    }
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...rest } = await readPage(c, reads, ReleaseKind, {
        namespace,
        fields,
        query,
        matches: (release) => matchesQuery(release, query),
      });
      const viewer = getViewer(c, org);
      return { items: await Promise.all(items.map((release) => buildReleaseView(reads, release, viewer))), ...rest };
    });
  });
}

function matchesQuery(release: Release, query: ReleasesQuery): boolean {
  const { spec, status } = release;
  const { product, phase, startedBy } = query;
  return (
    (product === undefined || spec.product === product) &&
    (phase === undefined || status?.phase === phase) &&
    (startedBy === undefined || spec.startedBy.toLowerCase() === startedBy.toLowerCase()) &&
    matchesListQuery(release, query, [spec.version, spec.commit])
  );
}
