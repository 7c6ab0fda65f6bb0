import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { ProductKind, ZoneSpec, type Product } from '../../src/rules/products/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import { reserveNames } from '../../src/reconcile/reserve-names.ts';
import { getActiveProduct, productRef } from '../products/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, ProductParams } from '../http/views.ts';
import { ZoneView } from './schemas.ts';
import { getZoneView, assertNotDeleting } from './zone.ts';

/** An empty body adds the zone of the default pair that the Product lacks. */
const AddZoneBody = ZoneSpec.extend({
  name: NameLabel.optional().describe(
    'Name of the zone, unique in the installation; defaults to the missing zone of the pair `<product>-rc` and `<product>-prod`.',
  ),
  promotionPolicy: ZoneSpec.shape.promotionPolicy
    .optional()
    .describe('Whether new Releases are promoted automatically, or after a person has approved.'),
});

const route = createRoute({
  operationId: 'addZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones',
  tags: ['Zones'],
  summary: 'Add a zone to a Product',
  description:
    'Adds the zone last in promotion order. Defaults to a production zone with approval and sign-in required.',
  ...requireRole('org-admin'),
  request: { params: ProductParams, body: body(AddZoneBody) },
  responses: {
    201: jsonResponse('The added zone', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function addZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const requested = c.req.valid('json');
    const product = await getActiveProduct(deps.store, { org, product: name });
    const zone = withDefaults(product, requested);
    const { zones } = product.spec.delivery;
    if (zones.some((existing) => existing.name === zone.name))
      throw new ServiceError(
        'already-exists',
        `The Product "${name}" already has a zone named "${zone.name}". Choose another name.`,
      );
    assertNotDeleting(product, zone.name);
    const spec = { ...product.spec, delivery: { zones: [...zones, zone] } };
    await assertValidProduct(deps, { org, name, spec, before: product.spec });
    await reserveNames(deps, { org, product: name }, spec);
    const { generation } = product.metadata;
    await replaceSpec(deps.store, ProductKind, { ref: productRef(org, name), spec, precondition: { generation } });
    c.header('Location', `/api/v1/orgs/${org}/products/${name}/zones/${zone.name}`);
    return c.json(await getZoneView(c, deps, { org, product: name, zone: zone.name }), 201);
  });
}

function withDefaults({ metadata, spec }: Product, requested: z.infer<typeof AddZoneBody>): ZoneSpec {
  const defaultNames = [`${metadata.name}-rc`, `${metadata.name}-prod`];
  const missing = defaultNames.find((name) => !spec.delivery.zones.some((zone) => zone.name === name));
  const name = requested.name ?? (spec.delivery.zones.length > 0 ? defaultNames[1] : missing) ?? '';
  const isProduction = name === defaultNames[1];
  return {
    ...requested,
    name,
    promotionPolicy: requested.promotionPolicy ?? (isProduction ? 'after-approval' : 'automatic'),
    access: requested.access ?? (isProduction ? 'signed-in' : 'public'),
  };
}
