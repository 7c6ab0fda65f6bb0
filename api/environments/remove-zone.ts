import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { type Product, ProductKind } from '../../src/rules/catalog/kinds.ts';
import type { RemovalStatus } from '../../src/rules/environments/zone-state.ts';
import { remove } from '../../workflows/environments/messages.ts';
import { getLivingProduct, productRef } from '../catalog/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { replaceSpec } from '../read-page.ts';
import { answer, ZoneParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { tellKeeper } from './speak-to-keeper.ts';
import { readZone } from './zone.ts';

const route = createRoute({
  operationId: 'removeZone',
  method: 'delete',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Remove a zone with all that runs and is stored in it; the repo, builds and Releases stay',
  ...needs('org-admin'),
  request: {
    params: ZoneParams,
    query: z.strictObject({
      confirm: z.string().max(200).optional().openapi({ description: 'The name of the zone, typed by the person.' }),
    }),
  },
  responses: { 202: answer('The zone, which is being removed', ZoneView), ...problems(401, 403, 404, 409, 422, 503) },
});

export function removeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { store } = deps;
    const view = await readZone(c, deps, ref);
    if (c.req.valid('query').confirm !== ref.zone)
      throw invalid(`Removing "${ref.zone}" deletes what is stored in it. Type its name to confirm.`, [
        { pointer: '?confirm', detail: `must be "${ref.zone}"` },
      ]);
    const { metadata, spec } = await getLivingProduct(store, ref);
    const zones = spec.delivery.zones.filter(({ name }) => name !== ref.zone);
    const by = c.get('caller').email;
    // Shown before anything else, also where nothing has run yet: the name cannot be added again before it is free.
    await store.updateStatus(ProductKind, productRef(ref.org, ref.product), ({ status }) =>
      markGoing(status, ref.zone, { by, since: deps.now().toISOString(), message: 'it was asked for', remaining: [] }),
    );
    // Off the list first: no Release that starts from now on comes here. Asked again, it goes on from where it was.
    if (zones.length < spec.delivery.zones.length)
      await replaceSpec(store, ProductKind, {
        ref: productRef(ref.org, ref.product),
        spec: { ...spec, delivery: { zones } },
        seen: { generation: metadata.generation },
      });
    await tellKeeper(deps, ref, { signal: remove, told: { by } });
    return c.json(view, 202);
  });
}

function markGoing(status: Product['status'], zone: string, asked: RemovalStatus): NonNullable<Product['status']> {
  const zones = status?.zones ?? [];
  const before = zones.find(({ name }) => name === zone);
  const after = { ...before, name: zone, removal: before?.removal ?? asked };
  return { ...status, zones: [...zones.filter(({ name }) => name !== zone), after] };
}
