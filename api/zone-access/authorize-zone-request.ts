import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { readHostCookie } from '../http/cookies.ts';
import { problems } from '../http/problem.ts';
import { assertZoneAccess, findValidToken, readZoneHosts, zoneSessionCookie } from './zone-sessions.ts';

const route = createRoute({
  operationId: 'authorizeZoneRequest',
  method: 'get',
  path: '/v1/auth/zone-access',
  tags: ['Access'],
  summary: 'Authorize a request to a zone (forward auth)',
  description:
    'The gate of a zone calls this for each request to a zone that requires sign-in. It is authenticated by the zone session cookie, and fails with 403 if the user has no role in the org.',
  ...requireRole('anyone'),
  request: { query: z.strictObject({ zone: NameLabel.describe('Name of the zone.') }) },
  responses: {
    204: {
      description: 'The request is allowed; `X-Service-User` names the user',
    },
    ...problems(401, 403, 422),
  },
});

export function authorizeZoneRequest(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { zone: name } = c.req.valid('query');
    const zoneAddress = await readZoneAddress(cachedReads(deps.store), deps.config.zoneAddress);
    const cookie = readHostCookie(c, zoneSessionCookie, zoneAddress(name));
    const session = await findValidToken(deps, cookie ?? '', 'zone-session');
    if (session?.spec.zone !== name)
      throw new ServiceError('sign-in-required', `The zone "${name}" requires sign-in. Sign in to open it.`);
    await assertZoneAccess(c, deps, { holder: session.spec, zone: await readZoneHosts(deps, name) });
    c.header('X-Service-User', session.spec.user);
    return c.body(null, 204);
  });
}
