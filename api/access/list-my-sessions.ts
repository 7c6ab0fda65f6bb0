import { createRoute, z } from '@hono/zod-openapi';
import { isSessionIdle } from '../../src/rules/access/session-lifetime.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { listSessions } from '../auth/sessions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { SessionView, toSessionView } from './schemas.ts';

const route = createRoute({
  operationId: 'listMySessions',
  method: 'get',
  path: '/v1/me/sessions',
  tags: ['Access'],
  summary: 'List your browser sessions',
  description: 'Returns the sessions that are valid now, the newest first. A session ends after two hours without use.',
  ...requireRole('signed-in'),
  responses: {
    200: jsonResponse(
      'The sessions',
      z.object({ items: z.array(SessionView).describe('Sessions of the user.') }).openapi('SessionList'),
    ),
    ...problems(401),
  },
});

export function listMySessions(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const sessions = (await listSessions(store, c.get('caller').user)).filter(
      ({ spec: { expiresAt = '' }, status }) =>
        Date.parse(expiresAt) > now().getTime() && !isSessionIdle({ expiresAt, lastUsedAt: status?.lastUsedAt }, now()),
    );
    const newestFirst = sessions.toSorted((one, other) =>
      other.metadata.creationTimestamp.localeCompare(one.metadata.creationTimestamp),
    );
    return c.json({ items: newestFirst.map((session) => toSessionView(session, c.get('credential'))) }, 200);
  });
}
