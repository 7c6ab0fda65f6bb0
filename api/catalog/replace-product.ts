import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { ProductKind, ProductSpec, type Product } from '../../src/rules/catalog/kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { applyChangedSettings } from '../environments/apply-changed-settings.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale, replaceSpec, tagged } from '../read-page.ts';
import { answer, body, ProductParams, replacementOf } from '../views.ts';
import { checkProduct } from './check-product.ts';
import { claimNames, releaseNames } from './claim-names.ts';
import { getLivingProduct, productRef } from './product.ts';
import { ProductView, productView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceProduct',
  method: 'put',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Replace what a Product is, if it is still as you read it',
  ...needs('org-admin'),
  request: { params: ProductParams, body: body(replacementOf(ProductSpec)) },
  responses: { 200: answer('The Product', ProductView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function replaceProduct(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const { spec, generation, resourceVersion = ifMatch(c) } = c.req.valid('json');
    const seen = { resourceVersion, generation };
    const before = await getLivingProduct(store, { org, product: name });
    refuseStale(before, seen);
    await checkProduct(deps, { org, name, spec, before: before.spec });
    const gone = zonesOf(before.spec).filter((zone) => !zonesOf(spec).includes(zone));
    refuseRunning(before, gone);
    await claimNames(deps, { org, product: name }, spec);
    const product = await replaceSpec(store, ProductKind, { ref: productRef(org, name), spec, seen });
    await releaseNames(deps, before.spec, spec);
    await applyChangedSettings(deps, { org, product });
    tagged(c, product.metadata.resourceVersion);
    return c.json(productView(product, c.get('role')), 200);
  });
}

const zonesOf = (spec: ProductSpec): string[] => spec.delivery.zones.map(({ name }) => name);

/** What runs somewhere does not stop because its zone's name is gone from a list. */
function refuseRunning({ metadata, status }: Product, gone: readonly string[]): void {
  const running = status?.zones?.find(
    ({ name, release, arriving }) => gone.includes(name) && (release !== undefined || arriving !== undefined),
  );
  if (running)
    throw new ServiceError(
      'conflict',
      `The zone "${running.name}" of Product "${metadata.name}" runs a Release: it cannot be taken off the list while it does. Remove it with DELETE.`,
    );
}
