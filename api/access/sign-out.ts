import { createRoute } from '@hono/zod-openapi';
import { ignoreNotFound } from '../../src/errors.ts';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { sessionCookie, tokenName } from '../auth/authenticate.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { deleteHostCookie, readHostCookie } from '../http/cookies.ts';
import { problems } from '../http/problem.ts';

const route = createRoute({
  operationId: 'signOut',
  method: 'post',
  path: '/v1/auth/sign-out',
  tags: ['Access'],
  summary: 'Sign out',
  description: 'Ends the browser session and clears its cookie.',
  ...requireRole('signed-in'),
  responses: { 204: { description: 'The session has ended' }, ...problems(401, 403) },
});

export function signOut(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const session = readHostCookie(c, sessionCookie, config.publicUrl);
    deleteHostCookie(c, sessionCookie, config.publicUrl);
    if (session === undefined) return c.body(null, 204);
    await store.delete(ApiTokenKind, { namespace: systemNamespace, name: tokenName(session) }).catch(ignoreNotFound);
    return c.body(null, 204);
  });
}
