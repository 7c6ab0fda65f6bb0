import { createRoute, type z } from '@hono/zod-openapi';
import semver from 'semver';
import type { Product } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { showList } from '../show-list.ts';
import { cutPage } from '../read-page.ts';
import { answer, listSchema, PageQuery, ProductParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { VersionView } from './schemas.ts';

const route = createRoute({
  operationId: 'listVersions',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/versions',
  tags: ['Products'],
  summary: 'List the tagged versions of a Product, the newest first, and where each runs',
  ...needs('viewer'),
  request: { params: ProductParams, query: PageQuery },
  responses: { 200: answer('The versions', listSchema(VersionView)), ...problems(401, 403, 404, 422) },
});

export function listVersions(app: App): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    return await showList(c, async (heard) => {
      const product = await getProductOf(heard, { org, product: name });
      const fields = { 'spec.product': name };
      const { items } = await heard.list(ReleaseKind, { namespace: orgNamespace(org), fields });
      const versions = items
        .flatMap((release) => versionOf(release, product))
        .toSorted((one, other) => semver.rcompare(one.version, other.version));
      return cutPage(versions, ({ version }) => version, c.req.valid('query'));
    });
  });
}

function versionOf({ metadata, spec, status }: Release, product: Product): z.infer<typeof VersionView>[] {
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
