import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { ProductKind, type ProductSpec } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { environmentsFinalizer, takenUpAnnotation } from '../../src/rules/taken-up.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { checkProduct } from './check-product.ts';
import { claimProduct } from './claim-names.ts';
import { getOrganization } from './org.ts';
import { NewProductBody, ProductView, productView } from './schemas.ts';
import { usualDelivery } from './usual-delivery.ts';

const route = createRoute({
  operationId: 'createProduct',
  method: 'post',
  path: '/v1/orgs/{org}/products',
  tags: ['Products'],
  summary: 'Create a Product; without zones it gets a pre-production and a production zone',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(NewProductBody) },
  responses: { 201: answer('The Product', ProductView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function createProduct(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec: asked } = c.req.valid('json');
    await getOrganization(store, org);
    const spec: ProductSpec = { ...asked, delivery: asked.delivery ?? usualDelivery(name) };
    const metadata = { namespace: orgNamespace(org), name };
    await checkProduct(deps, { org, name, spec });
    if (await store.find(ProductKind, metadata))
      throw new ServiceError('conflict', `There already is a Product "${name}" in org "${org}".`);
    await claimProduct(deps, { org, product: name }, spec);
    const product = await store.create(ProductKind, {
      metadata: { ...metadata, annotations: { [takenUpAnnotation]: '1' }, finalizers: [environmentsFinalizer] },
      spec,
    });
    tagged(c, product.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/products/${name}`);
    return c.json(productView(product, c.get('role')), 201);
  });
}
