import { createRoute } from '@hono/zod-openapi';
import { unfreeze } from '../../workflows/environments/messages.ts';
import { getLivingProduct } from '../catalog/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, ZoneParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { askKeeper } from './speak-to-keeper.ts';
import { readZone, specOf } from './zone.ts';

const route = createRoute({
  operationId: 'unfreezeZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/unfreeze',
  tags: ['Zones'],
  summary: 'Let Releases into a zone again',
  ...needs('member'),
  request: { params: ZoneParams },
  responses: { 200: answer('The zone after it', ZoneView), ...problems(401, 403, 404, 409, 503) },
});

export function unfreezeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    specOf(await getLivingProduct(deps.store, ref), ref.zone);
    await askKeeper(deps, ref, { update: unfreeze, asked: { by: c.get('caller').email } });
    return c.json(await readZone(c, deps, ref), 200);
  });
}
