import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import type { RemovalStatus } from '../../src/rules/environments/zone-state.ts';
import { removeZoneSignal } from '../../workflows/environments/messages.ts';
import { getActiveProduct, productRef } from '../products/product.ts';
import { withoutZone } from '../../src/rules/products/without-zone.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { jsonResponse, ZoneParams } from '../http/views.ts';
import { ZoneView } from './schemas.ts';
import { signalZone } from '../../src/reconcile/zone-workflow.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { wakeSloLoops } from '../../src/reconcile/wake-slo-loops.ts';
import { getZoneView } from './zone.ts';

const route = createRoute({
  operationId: 'removeZone',
  method: 'delete',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Remove a zone',
  description: 'Deletes everything that runs or is stored in the zone. The repo, builds and Releases are kept.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: {
    params: ZoneParams,
    query: z.strictObject({
      confirm: z.string().max(200).optional().openapi({ description: 'The name of the zone, as a confirmation.' }),
    }),
  },
  responses: {
    202: jsonResponse('The zone, marked as being removed', ZoneView),
    ...problems(401, 403, 404, 409, 422),
  },
});

export function removeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { store } = deps;
    const view = await getZoneView(c, deps, ref);
    if (c.req.valid('query').confirm !== ref.zone)
      throw invalid(`Removing the zone "${ref.zone}" deletes its data. Set confirm to its name.`, [
        { pointer: '?confirm', detail: `must be "${ref.zone}"` },
      ]);
    const product = await getActiveProduct(store, ref);
    assertCurrent(product, readPrecondition(c));
    const { metadata, spec } = product;
    const after = withoutZone(spec, ref.zone);
    const by = c.get('caller').email;
    // The removal is recorded first, so that the name cannot be added again before it is free.
    await store.updateStatus(ProductKind, productRef(ref.org, ref.product), ({ status }) =>
      markRemoving(status, ref.zone, {
        by,
        since: deps.now().toISOString(),
        message: 'Removal was requested.',
        remaining: [],
      }),
    );
    // The zone leaves the spec before its workflow is signalled, so that new Releases skip it. A retry may find it gone already.
    if (after.delivery.zones.length < spec.delivery.zones.length) {
      const mark = applyingMark(deps.now());
      const replaced = await replaceSpec(store, ProductKind, {
        ref: productRef(ref.org, ref.product),
        spec: after,
        precondition: { generation: metadata.generation },
        mark,
      }).catch(async (error: unknown) => {
        // Another person has changed the Product meanwhile, so the zone stays.
        await store.updateStatus(ProductKind, metadata, (current) => keepZone(current, ref.zone));
        throw error;
      });
      await finishApplying(store, {
        kind: ProductKind,
        object: replaced,
        mark,
        follow: async () => await wakeSloLoops(deps, replaced, product),
      });
    }
    await signalZone(deps, ref, { signal: removeZoneSignal, arg: { by } });
    return c.json(view, 202);
  });
}

/** Takes the mark back, unless another request has removed the zone. */
function keepZone({ spec, status }: Pick<Product, 'spec' | 'status'>, name: string): Product['status'] {
  if (!spec.delivery.zones.some((zone) => zone.name === name)) return undefined;
  const zones = (status?.zones ?? []).map((zone) => {
    const { removal: _, ...kept } = zone;
    return zone.name === name ? kept : zone;
  });
  return { ...status, zones };
}

function markRemoving(status: Product['status'], zone: string, removal: RemovalStatus): NonNullable<Product['status']> {
  const zones = status?.zones ?? [];
  const before = zones.find(({ name }) => name === zone);
  const after = { ...before, name: zone, removal: before?.removal ?? removal };
  return { ...status, zones: [...zones.filter(({ name }) => name !== zone), after] };
}
