import { createRoute, z } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { listClusterNames } from '../../src/reconcile/list-cluster-names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

const UsageView = z
  .object({
    orgs: z.int().describe('Number of orgs. A license can name a limit.'),
    workloadClusters: z.int().describe('Number of workload clusters. A license can name a limit.'),
    products: z.int().describe('Number of Products in all orgs.'),
    zones: z.int().describe('Number of zones of all Products.'),
    users: z.int().describe('Number of people who can sign in.'),
  })
  .openapi('InstallationUsage');

const route = createRoute({
  operationId: 'getUsage',
  method: 'get',
  path: '/v1/usage',
  tags: ['Installation'],
  summary: 'Get the usage of the installation',
  description: 'Counts what the installation holds over all orgs. No limit of a license is enforced.',
  ...requireRole('platform-admin'),
  responses: { 200: jsonResponse('The usage', UsageView), ...problems(401, 403) },
});

export function getUsage(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const reads = cachedReads(store);
    const [clusters, orgs, products, users] = await Promise.all([
      listClusterNames({ store: reads, config }),
      reads.list(OrganizationKind),
      reads.list(ProductKind),
      reads.list(UserKind),
    ]);
    return c.json(
      {
        orgs: orgs.items.length,
        workloadClusters: clusters.length,
        products: products.items.length,
        zones: products.items.reduce((sum, { spec }) => sum + spec.delivery.zones.length, 0),
        users: users.items.length,
      },
      200,
    );
  });
}
