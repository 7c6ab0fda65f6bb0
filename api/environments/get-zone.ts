import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, ZoneParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { readZone } from './zone.ts';

const route = createRoute({
  operationId: 'getZone',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Read a zone as it runs',
  ...needs('viewer'),
  request: { params: ZoneParams },
  responses: { 200: answer('The zone', ZoneView), ...problems(401, 403, 404) },
});

export function getZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => c.json(await readZone(c, deps, c.req.valid('param')), 200));
}
