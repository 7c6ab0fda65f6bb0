import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { defined } from '../../src/defined.ts';
import { invalid, isServiceError, ServiceError } from '../../src/errors.ts';
import { defaultZone, findMissingZoneName } from '../../src/rules/products/default-zones.ts';
import { ProductKind, ZoneSpec, zonesPerProductMax, type Product } from '../../src/rules/products/kinds.ts';
import { ZoneName } from '../../src/rules/names.ts';
import { readZoneRequests, withZoneRequest } from '../../src/rules/products/zone-requests.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import { applySettingsSignal } from '../../workflows/environments/messages.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { wakeSloLoops } from '../../src/reconcile/wake-slo-loops.ts';
import { signalZone } from '../../src/reconcile/zone-workflow.ts';
import { assertNamesFree, releaseRejectedNames, reserveNames } from '../../src/reconcile/reserve-names.ts';
import { getActiveProduct, productRef } from '../products/product.ts';
import { previewAlertRules } from '../slos/preview-alert-rules.ts';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { fieldsOfPart, mapPointers } from '../http/map-pointers.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, ProductParams } from '../http/views.ts';
import { identifyRequest, type RequestIdentity } from '../temporal/idempotency.ts';
import { DryRunQuery, previewValues, ValuesPreviewView } from './preview-values.ts';
import { ZoneView } from './schemas.ts';
import { getZoneView, assertNotDeleting, type ZoneRef } from './zone.ts';

/** An empty body adds the zone of the default pair that the Product lacks. */
const AddZoneBody = ZoneSpec.extend({
  name: ZoneName.optional().describe(
    'Name of the zone, unique in the installation; defaults to the missing zone of the pair `<product>-rc` and `<product>-prod`.',
  ),
});

const route = createRoute({
  operationId: 'addZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones',
  tags: ['Zones'],
  summary: 'Add a zone to a Product',
  description:
    'Adds the zone last in promotion order and writes its files to the gitops repo; the next Release is promoted to it. Without a name, adds the zone of the default pair that the Product lacks. Production requires approval and sign-in by default.',
  ...requireRole('org-admin'),
  request: { params: ProductParams, query: DryRunQuery, body: body(AddZoneBody) },
  responses: {
    200: jsonResponse(
      'With `dryRun=true`: the values file that would be added, and the changed alert rules',
      ValuesPreviewView,
    ),
    201: jsonResponse('The added zone', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function addZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const requested = c.req.valid('json');
    const isDryRun = c.req.valid('query').dryRun === 'true';
    const identity = identifyRequest(c, `addZone ${org} ${name}`);
    const product = await getActiveProduct(deps.store, { org, product: name });
    const added = isDryRun ? undefined : findAddedZone(product, identity);
    if (added !== undefined) return await respondAdded(c, deps, { zone: added, product, before: product, mark: {} });
    const zone = withDefaults(product, requested);
    const { zones } = product.spec.delivery;
    if (zones.some((existing) => existing.name === zone.name))
      throw new ServiceError(
        'already-exists',
        `The Product "${name}" already has a zone named "${zone.name}". Choose another name.`,
        {
          errors: [{ pointer: '/name', detail: 'is the name of another zone of the Product' }],
          links: [{ title: `Zone ${zone.name}`, url: uiPaths.zone(org, name, zone.name) }],
        },
      );
    assertNotDeleting(product, zone.name);
    if (zones.length >= zonesPerProductMax)
      throw invalid(`The Product "${name}" has ${zonesPerProductMax} zones, the maximum. Remove one first.`);
    const spec = { ...product.spec, delivery: { ...product.spec.delivery, zones: [...zones, zone] } };
    const reserved = await mapPointers(fieldsOfPart(`/spec/delivery/zones/${zones.length}`), async () => {
      await assertValidProduct(deps, { org, name, spec, before: product.spec });
      return await (isDryRun ? assertNamesFree : reserveNames)(deps, { org, product: name }, spec);
    });
    if (isDryRun) {
      const preview = await previewValues(deps, { org, product: name }, [zone]);
      const alertRules = previewAlertRules(product, spec, deps.config.metricsRetentionMs);
      return c.json({ ...preview, ...defined({ alertRules }) }, 200);
    }
    const mark = applyingMark(deps.now());
    const replaced = await replaceSpec(deps.store, ProductKind, {
      ref: productRef(org, name),
      spec,
      precondition: { generation: product.metadata.generation },
      mark,
      annotate: (current) => withZoneRequest(current, { request: identity.id, zone: zone.name }),
    }).catch(async (error: unknown) => {
      await releaseRejectedNames(deps, { org, product: name }, reserved ?? []);
      throw error;
    });
    return await respondAdded(c, deps, { zone: zone.name, product: replaced, before: product, mark });
  });
}

/** Returns the zone that an earlier attempt of the request added before it was interrupted. */
function findAddedZone(product: Product, { id }: RequestIdentity): string | undefined {
  return [...readZoneRequests(product)].find(([, request]) => request === id)?.[0];
}

type Added = { zone: string; product: Product; before: Product; mark: Record<string, string> };

async function respondAdded(c: Context<ApiEnv>, deps: ApiDeps, added: Added) {
  const { namespace, name } = added.product.metadata;
  const org = toOrgName(namespace);
  const ref = { org, product: name, zone: added.zone };
  await signalAdded(deps, ref, added);
  c.header('Location', `/api/v1/orgs/${org}/products/${name}/zones/${ref.zone}`);
  return c.json(await getZoneView(c, deps, ref), 201);
}

/** Without a Release, the workflow of the zone writes its values file only; the next Release writes what is missing. */
async function signalAdded(deps: ApiDeps, ref: ZoneRef, { product, before, mark }: Added): Promise<void> {
  const { generation } = product.metadata;
  try {
    await finishApplying(deps.store, {
      kind: ProductKind,
      object: product,
      mark,
      async follow() {
        await signalZone(deps, ref, { signal: applySettingsSignal, arg: { generation } });
        await wakeSloLoops(deps, product, before);
      },
    });
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error;
  }
}

function withDefaults({ metadata, spec }: Product, requested: z.infer<typeof AddZoneBody>): ZoneSpec {
  const name = requested.name ?? findMissingZoneName(metadata.name, spec.delivery.zones);
  if (name === undefined)
    throw invalid(`The Product "${metadata.name}" already has both default zones. Name the zone to add.`, [
      { pointer: '/name', detail: 'is required' },
    ]);
  return { ...defaultZone(metadata.name, name), ...requested, name };
}
