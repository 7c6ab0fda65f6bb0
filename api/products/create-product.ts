import { createRoute, type z } from '@hono/zod-openapi';
import { invalid, ServiceError } from '../../src/errors.ts';
import { environmentsFinalizer, type Product, ProductKind, type ProductSpec } from '../../src/rules/products/kinds.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { orgNamespace, requestAnnotation } from '../../src/rules/resource.ts';
import { acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { isCreatedBy } from '../http/create-once.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { mapPointers } from '../http/map-pointers.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { wakeSloLoops } from '../../src/reconcile/wake-slo-loops.ts';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import { releaseRejectedNames, reserveProductNames } from '../../src/reconcile/reserve-names.ts';
import { createdByAnnotation } from '../../src/rules/products/source.ts';
import { startMissingScaffold } from '../../src/reconcile/start-scaffold.ts';
import { assertScaffoldable } from './assert-scaffoldable.ts';
import { getOrganization } from '../orgs/org.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { NewProductBody, ProductView, toProductView } from './schemas.ts';
import { defaultZones, withPromotionPolicies } from '../../src/rules/products/default-zones.ts';

const route = createRoute({
  operationId: 'createProduct',
  method: 'post',
  path: '/v1/orgs/{org}/products',
  tags: ['Products'],
  summary: 'Create a Product',
  description:
    'Creates a pre-production and a production zone if `delivery` is omitted. With a `source`, the service creates the repo, commits the files and starts the first Release after the response; `status.scaffold` shows the progress. Fails with 409 if the name, one of the zones or one of the addresses is taken, or if the repo of `source` exists, and with 429 if the org has as many Products or zones as its quota allows.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(NewProductBody) },
  responses: {
    201: jsonResponse('The created Product', ProductView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function createProduct(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec: requested } = c.req.valid('json');
    const { spec: orgSpec } = await getOrganization(store, org);
    const { delivery = defaultZones(name), source: requestedSource, ...rest } = requested;
    const source = requestedSource && {
      ...requestedSource,
      repo: requestedSource.repo ?? `${orgSpec.codehostAccount}/${name}`,
    };
    const repos = requested.repos ?? (source && [source.repo]);
    if (!repos) throw invalid('The Product has no repos.', [{ pointer: '/spec/repos', detail: 'is missing' }]);
    const spec: ProductSpec = withPromotionPolicies(name, { ...rest, repos, delivery, ...(source && { source }) });
    const metadata = { namespace: orgNamespace(org), name };
    const toField = findFields(requested);
    await mapPointers(toField, async () => await assertValidProduct(deps, { org, name, spec }));
    const identity = identifyRequest(c, `createProduct ${org} ${name}`);
    const existing = await store.find(ProductKind, metadata);
    if (existing && (isProductDeleting(existing) || !isCreatedBy(existing, identity)))
      throw new ServiceError(
        'already-exists',
        `A Product named "${name}" already exists in org "${org}". Choose another name.`,
        { links: [{ title: `Product ${name}`, url: uiPaths.product(org, name) }] },
      );
    const product = existing ?? (await create());
    await startMissingScaffold(deps, product);
    await wakeSloLoops(deps, product);
    setETag(c, product.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/products/${name}`);
    return c.json(toProductView(product, c.get('role')), 201);

    async function create(): Promise<Product> {
      if (source) await assertScaffoldable(deps, org, source);
      const by = c.get('caller').email;
      return await c.get('quotaGuard').create({
        quota: 'productsPerOrg',
        holder: org,
        count: async () => (await store.list(ProductKind, { namespace: orgNamespace(org) })).items.length,
        create: async () => {
          const reserve = async () => await reserveProductNames(deps, { org, product: name }, spec);
          const reserved = await mapPointers(toField, reserve);
          const annotations = {
            [acceptedGenerationAnnotation]: '1',
            [requestAnnotation]: identity.id,
            ...(source && { [createdByAnnotation]: by }),
          };
          return await store
            .create(ProductKind, { metadata: { ...metadata, annotations, finalizers: [environmentsFinalizer] }, spec })
            .catch(async (error: unknown) => {
              await releaseRejectedNames(deps, { org, product: name }, reserved);
              throw error;
            });
        },
      });
    }
  });
}

/** Finds the field that a value of the spec is made from when the request leaves that value out. */
const findFields =
  ({ delivery, repos, source }: z.infer<typeof NewProductBody>['spec']) =>
  (pointer: string): string => {
    if (delivery === undefined && pointer.startsWith('/spec/delivery/')) return '/name';
    if (repos === undefined && pointer.startsWith('/spec/repos/'))
      return source?.repo === undefined ? '/name' : '/spec/source/repo';
    return pointer;
  };
