import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError, invalid } from '../../src/errors.ts';
import { imageDeleted } from '../../src/rules/environments/image-deleted.ts';
import { promotionViolation } from '../../src/rules/environments/promotion-violation.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace, toOrgName } from '../../src/rules/resource.ts';
import { type PromotionRequest, promoteManuallyUpdate } from '../../workflows/environments/messages.ts';
import { promoteReleaseId } from '../../src/rules/releases/promote-release-id.ts';
import { findReleaseContributors } from '../releases/find-contributors.ts';
import { assertNoSelfApproval } from '../orgs/assert-no-self-approval.ts';
import { getAcceptedProduct } from '../products/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, ZoneParams } from '../http/views.ts';
import { ZoneView } from './schemas.ts';
import { updateZone } from '../../src/reconcile/zone-workflow.ts';
import { getZoneView, getZoneSpec } from './zone.ts';

const PromoteBody = z.strictObject({
  release: z.string().min(1).max(200).describe('Name of the Release to promote.'),
  note: z.string().max(2000).optional().describe('Note about the promotion.'),
  overrideFreeze: z.boolean().optional().openapi({ description: 'Promote even if the zone is frozen.' }),
});

const route = createRoute({
  operationId: 'promoteToZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/promote',
  tags: ['Zones'],
  summary: 'Promote a Release to a zone manually',
  description:
    'Promoting an older version is a rollback and pauses newer ones. Fails with 409 if the zone is frozen, the Release is not verified in the zones before it, or its image was deleted.',
  ...requireRole('member'),
  request: { params: ZoneParams, body: body(PromoteBody) },
  responses: {
    200: jsonResponse('The updated zone', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function promoteToZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { release: name, note, overrideFreeze } = c.req.valid('json');
    const product = await getAcceptedProduct(deps.store, ref);
    getZoneSpec(product, ref.zone);
    const release = await deps.store.find(ReleaseKind, { namespace: orgNamespace(ref.org), name });
    if (release?.spec.product !== ref.product)
      throw invalid(`The Product "${ref.product}" has no Release named "${name}".`, [
        { pointer: '/release', detail: 'must be a Release of this Product' },
      ]);
    const zones = product.spec.delivery.zones.map((zone) => zone.name);
    const violation = promotionViolation(release, ref.zone, zones);
    if (violation !== undefined)
      throw new ServiceError(
        'release-not-eligible',
        `The Release "${name}" cannot be promoted to "${ref.zone}": ${violation}`,
      );
    if (await deps.isImageDeleted?.(release.status?.digest ?? '')) throw imageDeleted(release);
    const caller = c.get('caller');
    const wasHealthy = release.status?.zones.some((zone) => zone.name === ref.zone && zone.healthyAt !== undefined);
    if (!wasHealthy)
      await assertNoSelfApproval(deps.store, ref.org, {
        contributors: await findReleaseContributors(deps.store, ref.org, release),
        by: caller.email,
      });
    const promotion = {
      request: toPromotionRequest(release),
      by: caller.email,
      role: c.get('role') ?? 'member',
      ...(note === undefined ? {} : { note }),
      ...(overrideFreeze === undefined ? {} : { overrideFreeze }),
    };
    const proof = deps.signDecision({ action: 'promoteManually', scope: ref, decision: promotion });
    await updateZone(deps, ref, { update: promoteManuallyUpdate, args: [promotion, proof] });
    return c.json(await getZoneView(c, deps, ref), 200);
  });
}

const toPromotionRequest = ({ metadata, spec, status }: Release): PromotionRequest => ({
  release: metadata.name,
  version: spec.version,
  commit: spec.commit,
  digest: status?.digest ?? '',
  replyToWorkflowId: promoteReleaseId({ ...spec, org: toOrgName(metadata.namespace) }),
});
