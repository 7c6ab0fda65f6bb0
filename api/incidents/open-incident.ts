import { createRoute } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { invalid } from '../../src/errors.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { manualIncidentName } from '../../src/rules/incidents/incident-names.ts';
import { type Incident, IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, ownerReference, requestAnnotation } from '../../src/rules/resource.ts';
import { createIncident } from '../../src/store/record-alert.ts';
import type { Store } from '../../src/store/store.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { isCreatedBy } from '../http/create-once.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { identifyRequest, type RequestIdentity } from '../temporal/idempotency.ts';
import { toIncidentView } from './incident.ts';
import { IncidentView, NewIncidentBody, type NewIncident } from './schemas.ts';

const route = createRoute({
  operationId: 'openIncident',
  method: 'post',
  path: '/v1/orgs/{org}/incidents',
  tags: ['Incidents'],
  summary: 'Open an incident',
  description:
    'Opens an incident for what no alert noticed. Fails with 429 if people opened as many unresolved incidents of the org as its quota allows.',
  ...requireRole('member'),
  request: { params: OrgParams, body: body(NewIncidentBody) },
  responses: {
    201: jsonResponse('The open incident', IncidentView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function openIncident(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const opening = c.req.valid('json');
    await getOrganization(store, org);
    const product = await getAffectedProduct(store, org, opening);
    const identity = identifyRequest(c, `openIncident ${org}`);
    const earlier = await findOpened(store, org, identity);
    const at = earlier?.metadata.creationTimestamp ?? now().toISOString();
    const { id } = identity;
    const metadata = {
      namespace: orgNamespace(org),
      name: earlier?.metadata.name ?? manualIncidentName(opening, { at, id }),
      annotations: { [requestAnnotation]: id },
      ownerReferences: [ownerReference(product)],
    };
    const spec = { ...defined(opening), openedBy: c.get('caller').email };
    const create = async () => await createIncident(store, { metadata, spec, at });
    const { incident } = earlier
      ? await create()
      : await c.get('quotaGuard').create({
          quota: 'openIncidentsPerOrg',
          holder: org,
          count: () => countOpened(store, org),
          create,
        });
    c.header('Location', `/api/v1/orgs/${org}/incidents/${metadata.name}`);
    return c.json(toIncidentView(incident, org, c.get('role')), 201);
  });
}

/** Returns the Product of a new incident, and throws when it does not exist or has no such zone. */
async function getAffectedProduct(store: Store, org: string, { product: name, zone }: NewIncident): Promise<Product> {
  const product = await store.find(ProductKind, { namespace: orgNamespace(org), name });
  if (!product)
    throw invalid(`No Product named "${name}" in org "${org}".`, [
      { pointer: '/product', detail: 'must be the name of a Product of the org' },
    ]);
  if (zone !== undefined && !product.spec.delivery.zones.some((one) => one.name === zone))
    throw invalid(`The Product "${name}" has no zone named "${zone}".`, [
      { pointer: '/zone', detail: 'must be the name of a zone of the Product' },
    ]);
  return product;
}

/** Finds the incident that an earlier attempt opened, perhaps in another minute, before it was interrupted. */
async function findOpened(store: Store, org: string, identity: RequestIdentity): Promise<Incident | undefined> {
  if (!identity.hasIdempotencyKey) return undefined;
  const { items } = await store.list(IncidentKind, { namespace: orgNamespace(org) });
  return items.find((incident) => isCreatedBy(incident, identity));
}

/** Alerts have no quota: an incident of theirs must never be lost because people opened many. */
async function countOpened(store: Store, org: string): Promise<number> {
  const { items } = await store.list(IncidentKind, { namespace: orgNamespace(org) });
  return items.filter((incident) => !incident.spec.alert && getIncidentStatus(incident).state !== 'Resolved').length;
}
