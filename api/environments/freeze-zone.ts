import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { Timestamp } from '../../src/rules/names.ts';
import { freeze } from '../../workflows/environments/messages.ts';
import { getLivingProduct } from '../catalog/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, ZoneParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { askKeeper } from './speak-to-keeper.ts';
import { readZone, specOf } from './zone.ts';

const FreezeBody = z.strictObject({
  reason: z.string().trim().min(1).max(500),
  until: Timestamp.optional().openapi({ description: 'When it ends by itself; a person ends it when left out.' }),
});

const route = createRoute({
  operationId: 'freezeZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/freeze',
  tags: ['Zones'],
  summary: 'Let nothing into a zone until it is unfrozen; Releases wait',
  ...needs('member'),
  request: { params: ZoneParams, body: body(FreezeBody) },
  responses: {
    200: answer('The zone after it', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function freezeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { reason, until } = c.req.valid('json');
    const now = deps.now();
    if (until !== undefined && Date.parse(until) <= now.getTime())
      throw invalid('The freeze would be over already.', [{ pointer: '/until', detail: 'is not in the future' }]);
    specOf(await getLivingProduct(deps.store, ref), ref.zone);
    const asked = {
      reason,
      by: c.get('caller').email,
      since: now.toISOString(),
      ...(until === undefined ? {} : { until }),
    };
    await askKeeper(deps, ref, { update: freeze, asked });
    return c.json(await readZone(c, deps, ref), 200);
  });
}
