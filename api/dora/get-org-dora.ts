import { createRoute } from '@hono/zod-openapi';
import { computeDora } from '../../src/rules/dora/compute-dora.ts';
import { toDoraWindow } from '../../src/rules/dora/dora-window.ts';
import { findReleaseZones } from '../../src/rules/products/find-release-zones.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import type { DoraIndex } from './dora-index.ts';
import { toDoraView } from './dora-view.ts';
import { DoraQuery, OrgDoraView } from './schemas.ts';

const route = createRoute({
  operationId: 'getOrgDora',
  method: 'get',
  path: '/v1/orgs/{org}/dora',
  tags: ['Observability'],
  summary: 'Get the DORA metrics of an org',
  description: 'Computes the four DORA metrics over the deployments, Changes and incidents of all Products of the org.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: DoraQuery },
  responses: { 200: jsonResponse('The metrics', OrgDoraView), ...problems(401, 403, 404, 422) },
});

export function getOrgDora(app: App, { store, now }: ApiDeps, index: DoraIndex): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { days } = c.req.valid('query');
    await getOrganization(store, org);
    const namespace = orgNamespace(org);
    const { items } = await cachedReads(store).list(ProductKind, { namespace });
    const products = items.map(({ metadata, spec }) => ({
      product: metadata.name,
      releaseZones: findReleaseZones(spec),
    }));
    const records = await index.read(namespace);
    const events = products.map(({ product, releaseZones }) => records.listEvents(product, releaseZones));
    const window = toDoraWindow(now().getTime(), days);
    const dora = computeDora(
      {
        deployments: events.flatMap(({ deployments }) => deployments),
        firstDeployments: events.flatMap(({ firstDeployments }) => firstDeployments),
        leadTimes: events.flatMap(({ leadTimes }) => leadTimes),
        restores: events.flatMap(({ restores }) => restores),
      },
      window,
    );
    return c.json({ org, products, ...toDoraView(dora, window, days) }, 200);
  });
}
