import { createRoute, z } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { openEventStream } from '../http/open-event-stream.ts';
import { problems } from '../http/problem.ts';
import { findUiBuild } from '../ui/find-ui-build.ts';
import { topicEvents } from './schemas.ts';
import { TopicSession } from './topic-session.ts';
import { TopicsQuery } from './topics.ts';
import { WaitingChanges } from './waiting-changes.ts';

const route = createRoute({
  operationId: 'streamTopics',
  method: 'get',
  path: '/v1/me/stream',
  tags: ['Me'],
  summary: 'Stream the changes of several topics',
  description:
    'Streams the changes of lists and items of several orgs over one connection. Subscribe first, then read the lists: `relist` names the topics to read. Ignore a view with an older `resourceVersion` than the one that you have. A topic of an org in which the caller has no role gets `closed`, and the others continue.',
  ...requireRole('signed-in'),
  request: { query: TopicsQuery },
  responses: {
    200: {
      description: 'The changes',
      headers: {
        'X-UI-Build': {
          description: 'Name of the build of the web UI that the server has, so that an open page can offer a reload.',
          schema: { type: 'string' },
        },
      },
      content: { 'text/event-stream': { schema: z.string() } },
      'x-event-stream': topicEvents,
    },
    ...problems(401, 422, 429),
  },
});

export function streamTopics(app: App, deps: ApiDeps): void {
  const waitingChanges = new WaitingChanges();
  const uiBuild = findUiBuild(deps.ui);
  app.openapi(route, (c) => {
    if (uiBuild !== undefined) c.header('X-UI-Build', uiBuild);
    const session = new TopicSession(c, { ...deps, waitingChanges }, c.req.valid('query').topics);
    return openEventStream(c, deps, async (sink) => await session.run(sink), { findId: () => session.findIdleId() });
  });
}
