import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { PromotionKind, type Promotion } from '../../src/rules/promotions/kinds.ts';
import { zonePhases } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { App } from '../deps.ts';
import { listQuery, matchesListQuery, startedByFilter } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, OrgParams, toView } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { PromotionView } from './schemas.ts';

const PromotionsQuery = listQuery('-createdAt').extend({
  product: NameLabel.optional().describe('Only Promotions of this Product.'),
  zone: NameLabel.optional().describe('Only Promotions to this zone.'),
  release: z.string().min(1).max(200).optional().describe('Only Promotions of this Release.'),
  phase: z.enum(zonePhases).optional().describe('Only Promotions in this phase.'),
  ...startedByFilter,
});
type PromotionsQuery = z.infer<typeof PromotionsQuery>;

const route = createRoute({
  operationId: 'listPromotions',
  method: 'get',
  path: '/v1/orgs/{org}/promotions',
  tags: ['Releases'],
  summary: 'List the Promotions of an org',
  description:
    'Returns every attempt to bring a Release into a zone, the newest first: who asked for it, who decided, and how it ended. A Release that is promoted again gets another Promotion.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: PromotionsQuery },
  responses: { 200: jsonResponse('The Promotions', listSchema(PromotionView)), ...problems(401, 403, 404, 422) },
});

export function listPromotions(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    const { product, zone, release } = query;
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...rest } = await readPage(c, reads, PromotionKind, {
        namespace: orgNamespace(org),
        fields: defined({ 'spec.product': product, 'spec.zone': zone, 'spec.release': release }),
        query,
        matches: (promotion) => matchesQuery(promotion, query),
      });
      return { items: items.map((promotion) => toView(promotion, org, [])), ...rest };
    });
  });
}

function matchesQuery(promotion: Promotion, query: PromotionsQuery): boolean {
  const { spec, status } = promotion;
  const { phase, startedBy } = query;
  return (
    (phase === undefined || status?.phase === phase) &&
    (startedBy === undefined || spec.startedBy.toLowerCase() === startedBy.toLowerCase()) &&
    matchesListQuery(promotion, query, [spec.version, spec.commit])
  );
}
