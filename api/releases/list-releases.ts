import { createRoute, z } from '@hono/zod-openapi';
import { ReleaseKind, releasePhases } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { matchesFilter } from '../http/matches-filter.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonOrEventStream, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'listReleases',
  method: 'get',
  path: '/v1/orgs/{org}/releases',
  tags: ['Releases'],
  summary: 'List the Releases of an org',
  description: 'With `Accept: text/event-stream`, streams the Releases and their updates.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: PageQuery.extend({
      product: z.string().optional().describe('Only Releases of this Product.'),
      phase: z.enum(releasePhases).optional().describe('Only Releases in this phase.'),
    }),
  },
  responses: { 200: jsonOrEventStream('The Releases', listSchema(ReleaseView)), ...problems(401, 403, 404, 422, 429) },
});

export function listReleases(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { product, phase, ...page } = c.req.valid('query');
    const namespace = orgNamespace(org);
    const fields = {
      ...(product !== undefined && { 'spec.product': product }),
      ...(phase !== undefined && { 'status.phase': phase }),
    };
    if (acceptsEventStream(c)) {
      await getOrganization(store, org);
      return streamEvents(c, deps, {
        kind: ReleaseKind,
        watch: { namespace },
        list: () => cachedReads(store).list(ReleaseKind, { namespace, fields }),
        toView: async (release) =>
          matchesFilter(release, { product, phase })
            ? await buildReleaseView(cachedReads(store), release, getViewer(c, org))
            : undefined,
      });
    }
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...rest } = await readPage(reads, ReleaseKind, { namespace, fields, ...page });
      const viewer = getViewer(c, org);
      return { items: await Promise.all(items.map((release) => buildReleaseView(reads, release, viewer))), ...rest };
    });
  });
}
