import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { ProductKind, ZoneSpec, type Product } from '../../src/rules/catalog/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { checkProduct } from '../catalog/check-product.ts';
import { claimNames } from '../catalog/claim-names.ts';
import { getLivingProduct, productRef } from '../catalog/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { replaceSpec } from '../read-page.ts';
import { answer, body, ProductParams } from '../views.ts';
import { ZoneView } from './schemas.ts';
import { readZone, refuseGoing } from './zone.ts';

/** Everything may be left out: then it is the one of the usual pair that is missing. */
const AddZoneBody = ZoneSpec.extend({ name: NameLabel.optional(), arrival: ZoneSpec.shape.arrival.optional() });

const route = createRoute({
  operationId: 'addZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones',
  tags: ['Zones'],
  summary: 'Add a zone, last in promotion order; with nothing said, production after approval for people signed in',
  ...needs('org-admin'),
  request: { params: ProductParams, body: body(AddZoneBody) },
  responses: { 201: answer('The zone', ZoneView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function addZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const asked = c.req.valid('json');
    const product = await getLivingProduct(deps.store, { org, product: name });
    const zone = withDefaults(product, asked);
    const { zones } = product.spec.delivery;
    if (zones.some((other) => other.name === zone.name))
      throw new ServiceError('conflict', `The Product "${name}" has a zone "${zone.name}" already.`);
    refuseGoing(product, zone.name);
    const spec = { ...product.spec, delivery: { zones: [...zones, zone] } };
    await checkProduct(deps, { org, name, spec, before: product.spec });
    await claimNames(deps, { org, product: name }, spec);
    const { generation } = product.metadata;
    await replaceSpec(deps.store, ProductKind, { ref: productRef(org, name), spec, seen: { generation } });
    c.header('Location', `/api/v1/orgs/${org}/products/${name}/zones/${zone.name}`);
    return c.json(await readZone(c, deps, { org, product: name, zone: zone.name }), 201);
  });
}

function withDefaults({ metadata, spec }: Product, asked: z.infer<typeof AddZoneBody>): ZoneSpec {
  const pair = [`${metadata.name}-rc`, `${metadata.name}-prod`];
  const missing = pair.find((name) => !spec.delivery.zones.some((zone) => zone.name === name));
  const name = asked.name ?? (spec.delivery.zones.length > 0 ? pair[1] : missing) ?? '';
  const isProduction = name === pair[1];
  return {
    ...asked,
    name,
    arrival: asked.arrival ?? (isProduction ? 'after-approval' : 'automatic'),
    access: asked.access ?? (isProduction ? 'signed-in' : 'public'),
  };
}
