import { createRoute } from '@hono/zod-openapi';
import { listLanes } from '../../src/rules/activity/list-lanes.ts';
import { findReleaseZones } from '../../src/rules/products/find-release-zones.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ActivityIndex } from './activity-index.ts';
import { readLanePage } from './read-lane-page.ts';
import { toActivitySummary, toLaneView } from './activity-view.ts';
import { ActivityQuery, ActivityView } from './schemas.ts';

const route = createRoute({
  operationId: 'getActivity',
  method: 'get',
  path: '/v1/orgs/{org}/activity',
  tags: ['Observability'],
  summary: 'Get the activity of an org',
  description:
    'Returns the runs and Releases of the last hours as lanes of spans: each round of each step, and each stage. The sums are over the whole window, whatever the page.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: ActivityQuery },
  responses: { 200: jsonResponse('The activity', ActivityView), ...problems(401, 403, 404, 422) },
});

export function getActivity(app: App, { store, now }: ApiDeps, index: ActivityIndex): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { hours, product, ...page } = c.req.valid('query');
    await getOrganization(store, org);
    const namespace = orgNamespace(org);
    const { items: products } = await cachedReads(store).list(ProductKind, { namespace });
    const releaseZones = new Map(products.map(({ metadata, spec }) => [metadata.name, findReleaseZones(spec)]));
    const to = now().getTime();
    const window = { from: to - hours * 60 * 60_000, to };
    const lanes = listLanes((await index.read(namespace)).list(), { window, product });
    const summary = toActivitySummary(lanes, {
      window,
      isReleaseZone: (of, zone) => releaseZones.get(of)?.includes(zone) ?? false,
    });
    const { items, ...rest } = readLanePage(lanes, page);
    return c.json({ org, hours, ...summary, items: items.map((lane) => toLaneView(lane, window)), ...rest }, 200);
  });
}
