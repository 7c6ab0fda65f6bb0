import { createRoute } from '@hono/zod-openapi';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, App } from '../deps.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonOrEventStream, NamedParams } from '../http/views.ts';
import { getReleaseByName, buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRelease',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}',
  tags: ['Releases'],
  summary: 'Get a Release',
  description: 'With `Accept: text/event-stream`, streams its updates.',
  ...requireRole('viewer'),
  request: { params: NamedParams },
  responses: { 200: jsonOrEventStream('The Release', ReleaseView), ...problems(401, 403, 404, 429) },
});

export function getRelease(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const release = await getReleaseByName(store, ref);
    const { namespace } = release.metadata;
    if (acceptsEventStream(c))
      return streamEvents(c, deps, {
        kind: ReleaseKind,
        watch: { namespace, name: ref.name },
        list: () => cachedReads(store).list(ReleaseKind, { namespace, fields: { 'metadata.name': ref.name } }),
        toView: async (current) => await buildReleaseView(cachedReads(store), current, getViewer(c, ref.org)),
      });
    setETag(c, release.metadata.resourceVersion);
    return c.json(await buildReleaseView(store, release, getViewer(c, ref.org)), 200);
  });
}
