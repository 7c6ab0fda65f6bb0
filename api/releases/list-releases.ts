import { createRoute, z } from '@hono/zod-openapi';
import { ReleaseKind, releasePhases, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { follow, wantsToFollow } from '../follow.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { followable, listSchema, OrgParams, PageQuery } from '../views.ts';
import { releaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'listReleases',
  method: 'get',
  path: '/v1/orgs/{org}/releases',
  tags: ['Releases'],
  summary: 'List the Releases of an org, or follow them',
  ...needs('viewer'),
  request: {
    params: OrgParams,
    query: PageQuery.extend({ product: z.string().optional(), phase: z.enum(releasePhases).optional() }),
  },
  responses: { 200: followable('The Releases', listSchema(ReleaseView)), ...problems(401, 403, 404, 422) },
});

export function listReleases(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { product, phase, ...page } = c.req.valid('query');
    const namespace = orgNamespace(org);
    const role = c.get('role');
    const fields = {
      ...(product !== undefined && { 'spec.product': product }),
      ...(phase !== undefined && { 'status.phase': phase }),
    };
    if (wantsToFollow(c)) {
      await getOrganization(store, org);
      return follow(c, deps, {
        kind: ReleaseKind,
        watch: { namespace },
        current: () => lastHeard(store).list(ReleaseKind, { namespace, fields }),
        show: async (release) => (fits(release, product, phase) ? releaseView(release, role) : undefined),
      });
    }
    return await showList(c, async (heard) => {
      await getOrganization(heard, org);
      const { items, ...rest } = await readPage(heard, ReleaseKind, { namespace, fields, ...page });
      return { items: items.map((release) => releaseView(release, role)), ...rest };
    });
  });
}

function fits({ spec, status }: Release, product: string | undefined, phase: string | undefined): boolean {
  return (product === undefined || spec.product === product) && (phase === undefined || status?.phase === phase);
}
