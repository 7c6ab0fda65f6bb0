import { createRoute, z } from '@hono/zod-openapi';
import { getCookie } from 'hono/cookie';
import { ServiceError } from '../../src/errors.ts';
import { NameLabel } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { goodToken, refuseStranger, visitCookie, zoneNamed } from './zone-visits.ts';

const route = createRoute({
  operationId: 'checkZoneVisit',
  method: 'get',
  path: '/v1/auth/zone-visit',
  tags: ['Access'],
  summary: 'For gateways: whether a request, by its cookie, may go on to a zone for people signed in',
  ...needs('anyone'),
  request: { query: z.strictObject({ zone: NameLabel }) },
  responses: { 204: { description: 'It may; X-Service-User says who' }, ...problems(401, 403, 422) },
});

export function checkZoneVisit(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { zone: name } = c.req.valid('query');
    const visit = await goodToken(deps, getCookie(c, visitCookie) ?? '', 'visit');
    const zone = await zoneNamed(deps, name);
    if (visit?.spec.zone !== name || !zone) throw new ServiceError('not-signed-in', `Sign in to open "${name}".`);
    await refuseStranger(c, deps, { user: visit.spec.user, zone });
    c.header('X-Service-User', visit.spec.user);
    return c.body(null, 204);
  });
}
