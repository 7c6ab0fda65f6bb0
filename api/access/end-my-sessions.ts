import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { assertUnlimited } from '../auth/assert-credential.ts';
import { requireRole } from '../auth/require-role.ts';
import { endSessions } from '../auth/sessions.ts';
import { problems } from '../http/problem.ts';

const route = createRoute({
  operationId: 'endMySessions',
  method: 'delete',
  path: '/v1/me/sessions',
  tags: ['Access'],
  summary: 'End your other browser sessions',
  description:
    'Signs you out in every other browser, and in the zones that these had opened. A request with an API token ends all sessions; a token with a maximum role may not.',
  ...requireRole('signed-in'),
  responses: { 204: { description: 'The sessions have ended' }, ...problems(401, 403) },
});

export function endMySessions(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const credential = c.get('credential');
    assertUnlimited(credential);
    await endSessions(store, c.get('caller').user, { except: credential.metadata.name });
    return c.body(null, 204);
  });
}
