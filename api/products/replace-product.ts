import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { ServiceError } from '../../src/errors.ts';
import { withPromotionPolicies } from '../../src/rules/products/default-zones.ts';
import { ProductKind, ProductSpec, type Product } from '../../src/rules/products/kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { applyChangedSettings } from '../../src/reconcile/apply-changed-settings.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { DryRunQuery, listZonesWithValues, previewValues, ValuesPreviewView } from '../environments/preview-values.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { assertCurrent, readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, ProductParams, replacementBody } from '../http/views.ts';
import { wakeSloLoops } from '../../src/reconcile/wake-slo-loops.ts';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import {
  assertNamesFree,
  releaseNames,
  releaseRejectedNames,
  reserveNames,
} from '../../src/reconcile/reserve-names.ts';
import { previewAlertRules } from '../slos/preview-alert-rules.ts';
import { getActiveProduct, productRef } from './product.ts';
import { ProductView, toProductView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceProduct',
  method: 'put',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Replace the spec of a Product',
  description:
    'Fails with 409 if the Product changed since it was read, or if the new spec omits a zone that runs a Release.',
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: ProductParams, query: DryRunQuery, body: body(replacementBody(ProductSpec)) },
  responses: {
    200: jsonResponse(
      'The updated Product; with `dryRun=true`, the changes of its values files and alert rules',
      z.union([ProductView, ValuesPreviewView]),
    ),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function replaceProduct(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const { spec: requested, ...versions } = c.req.valid('json');
    const spec = withPromotionPolicies(name, requested);
    const precondition = readRequiredPrecondition(c, versions);
    const before = await getActiveProduct(store, { org, product: name });
    assertCurrent(before, precondition);
    await assertValidProduct(deps, { org, name, spec, before: before.spec });
    const removedZones = listZoneNames(before.spec).filter((zone) => !listZoneNames(spec).includes(zone));
    assertNotRunning(before, removedZones);
    if (c.req.valid('query').dryRun === 'true') {
      await assertNamesFree(deps, { org, product: name }, spec);
      const zones = listZonesWithValues(before, spec.delivery.zones);
      const preview = await previewValues(deps, { org, product: name }, zones);
      const alertRules = previewAlertRules(before, spec, deps.config.metricsRetentionMs);
      return c.json({ ...preview, ...defined({ alertRules }) }, 200);
    }
    const reserved = await reserveNames(deps, { org, product: name }, spec);
    // The spec was validated against this generation, also when the request replaces any.
    const validated = { ...precondition, generation: before.metadata.generation };
    const mark = applyingMark(deps.now());
    const replaced = await replaceSpec(store, ProductKind, {
      ref: productRef(org, name),
      spec,
      precondition: validated,
      mark,
    }).catch(async (error: unknown) => {
      await releaseRejectedNames(deps, { org, product: name }, reserved);
      throw error;
    });
    const product = await finishApplying(store, {
      kind: ProductKind,
      object: replaced,
      mark,
      async follow() {
        await releaseNames(deps, { org, product: name }, before.spec);
        await applyChangedSettings(deps, { org, product: replaced });
        await wakeSloLoops(deps, replaced, before);
      },
    });
    setETag(c, product.metadata.resourceVersion);
    return c.json(toProductView(product, c.get('role')), 200);
  });
}

const listZoneNames = (spec: ProductSpec): string[] => spec.delivery.zones.map(({ name }) => name);

/** Omitting a zone from the spec does not stop its pods, and its files stay in the gitops repo, so a zone that has either must be removed with DELETE. */
function assertNotRunning({ metadata, status }: Product, removedZones: readonly string[]): void {
  const running = status?.zones?.find(
    ({ name, release, currentPromotion, appliedSettings }) =>
      removedZones.includes(name) && [release, currentPromotion, appliedSettings].some((state) => state !== undefined),
  );
  if (running)
    throw new ServiceError(
      'zone-in-use',
      `The zone "${running.name}" of Product "${metadata.name}" runs a Release or has files in the gitops repo, so the spec cannot omit it. Remove the zone with DELETE first.`,
    );
}
