import { createRoute, type z } from '@hono/zod-openapi';
import type { Product } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { paginate } from '../http/pagination.ts';
import { jsonResponse, listSchema, PageQuery, ProductParams } from '../http/views.ts';
import { getProductByName } from './product.ts';
import { VersionView } from './schemas.ts';

const route = createRoute({
  operationId: 'listVersions',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/versions',
  tags: ['Products'],
  summary: 'List the released versions of a Product',
  description: 'Returns the newest version first, each with the zones that run it.',
  ...requireRole('viewer'),
  request: { params: ProductParams, query: PageQuery },
  responses: { 200: jsonResponse('The versions', listSchema(VersionView)), ...problems(401, 403, 404, 422) },
});

export function listVersions(app: App): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    return await respondCached(c, async (reads) => {
      const product = await getProductByName(reads, { org, product: name });
      const fields = { 'spec.product': name };
      const { items } = await reads.list(ReleaseKind, { namespace: orgNamespace(org), fields });
      const versions = items.flatMap((release) => toVersionViews(release, product));
      return paginate(c, versions, {
        toPosition: ({ version, release }) => [...toNumbers(version), release],
        descending: true,
        query: c.req.valid('query'),
      });
    });
  });
}

const toNumbers = (version: string): number[] => version.slice(1).split('.').map(Number);

function toVersionViews({ metadata, spec, status }: Release, product: Product): z.infer<typeof VersionView>[] {
  if (status?.taggedAt === undefined) return [];
  const running = (product.status?.zones ?? []).filter(({ release }) => release === metadata.name);
  return [
    {
      version: spec.version,
      release: metadata.name,
      commit: spec.commit,
      taggedAt: status.taggedAt,
      ...(status.digest !== undefined && { digest: status.digest }),
      ...(status.url !== undefined && { url: status.url }),
      ...(spec.run !== undefined && { run: spec.run }),
      zones: running.map(({ name }) => name),
    },
  ];
}
