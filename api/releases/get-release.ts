import { createRoute } from '@hono/zod-openapi';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import type { ApiDeps, App } from '../deps.ts';
import { follow, wantsToFollow } from '../follow.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { followable, NamedParams } from '../views.ts';
import { getReleaseOf, releaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRelease',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}',
  tags: ['Releases'],
  summary: 'Read a Release, or follow it',
  ...needs('viewer'),
  request: { params: NamedParams },
  responses: { 200: followable('The Release', ReleaseView), ...problems(401, 403, 404) },
});

export function getRelease(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const release = await getReleaseOf(store, ref);
    const { namespace } = release.metadata;
    if (wantsToFollow(c))
      return follow(c, deps, {
        kind: ReleaseKind,
        watch: { namespace, name: ref.name },
        current: () => lastHeard(store).list(ReleaseKind, { namespace, fields: { 'metadata.name': ref.name } }),
        show: async (now) => releaseView(now, c.get('role')),
      });
    tagged(c, release.metadata.resourceVersion);
    return c.json(releaseView(release, c.get('role')), 200);
  });
}
