import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError, invalid } from '../../src/errors.ts';
import { entryRefusal } from '../../src/rules/environments/may-enter.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { type Arrival, promote } from '../../workflows/environments/messages.ts';
import { refuseOwnApproval } from '../catalog/org.ts';
import { getLivingProduct } from '../catalog/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, ZoneParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { askKeeper } from './speak-to-keeper.ts';
import { readZone, specOf } from './zone.ts';

const PromoteBody = z.strictObject({
  release: z.string().min(1).max(200),
  note: z.string().max(2000).optional(),
  despiteFreeze: z.boolean().optional().openapi({ description: 'Brings it in although the zone is frozen.' }),
});

const route = createRoute({
  operationId: 'promoteToZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/promote',
  tags: ['Zones'],
  summary: 'Bring a Release into a zone by hand; an older one is a rollback, and holds the newer ones',
  ...needs('member'),
  request: { params: ZoneParams, body: body(PromoteBody) },
  responses: {
    200: answer('The zone after it', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function promoteToZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { release: name, note, despiteFreeze } = c.req.valid('json');
    const product = await getLivingProduct(deps.store, ref);
    specOf(product, ref.zone);
    const release = await deps.store.find(ReleaseKind, { namespace: orgNamespace(ref.org), name });
    if (release?.spec.product !== ref.product)
      throw invalid(`The Product "${ref.product}" has no Release "${name}".`, [
        { pointer: '/release', detail: 'is no Release of this Product' },
      ]);
    const zones = product.spec.delivery.zones.map((zone) => zone.name);
    const refusal = entryRefusal(release, ref.zone, zones);
    if (refusal !== undefined) throw new ServiceError('conflict', `${name} cannot come into "${ref.zone}": ${refusal}`);
    const caller = c.get('caller');
    const ranHere = release.status?.zones.some((zone) => zone.name === ref.zone && zone.healthyAt !== undefined);
    if (!ranHere) await refuseOwnApproval(deps.store, ref.org, { startedBy: release.spec.startedBy, by: caller.email });
    const asked = {
      arrival: arrivalOf(release),
      by: caller.email,
      role: c.get('role') ?? 'member',
      ...(note === undefined ? {} : { note }),
      ...(despiteFreeze === undefined ? {} : { despiteFreeze }),
    };
    await askKeeper(deps, ref, { update: promote, asked });
    return c.json(await readZone(c, deps, ref), 200);
  });
}

const arrivalOf = ({ metadata, spec, status }: Release): Arrival => ({
  release: metadata.name,
  version: spec.version,
  commit: spec.commit,
  digest: status?.digest ?? '',
  tell: metadata.annotations?.[workflowIdAnnotation] ?? '',
});
