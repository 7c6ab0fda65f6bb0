import { ServiceError } from '../../src/errors.ts';
import type { DecisionJudge, SignedDecision } from '../../src/rules/access/decisions.ts';
import { imageDeleted } from '../../src/rules/environments/image-deleted.ts';
import { getPromotionPolicy } from '../../src/rules/products/default-zones.ts';
import type { ZoneSpec } from '../../src/rules/products/kinds.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { Promotion } from './gitops.ts';

type RequestedPromotion = Pick<Promotion, 'org' | 'product' | 'zone' | 'release' | 'version' | 'commit' | 'digest'>;

export type PromotableDeps = {
  store: Store;
  decisions: DecisionJudge;
  /** Absent if a registry holds the images, which the service neither lists nor deletes. */
  isImageDeleted?: (digest: string) => Promise<boolean>;
};

/**
 * Throws unless the request describes a Release as the store has it, its image exists, and a person approved it where the zone requires
 * that. The API and the workflow have checked it; this protects a zone when something other than our workflow asks for a
 * promotion, and when the image was deleted while the promotion waited.
 */
export async function assertPromotable(
  { store, decisions, isImageDeleted }: PromotableDeps,
  promotion: RequestedPromotion,
  zone: Pick<ZoneSpec, 'name' | 'promotionPolicy'>,
): Promise<void> {
  const namespace = orgNamespace(promotion.org);
  const release = await store.get(ReleaseKind, { namespace, name: promotion.release });
  if (!isSameRelease(release, promotion))
    throw new ServiceError(
      'decision-refused',
      `The promotion to "${promotion.zone}" does not describe the Release "${promotion.release}". Start the Release again.`,
    );
  if (await isImageDeleted?.(promotion.digest)) throw imageDeleted(release);
  if (getPromotionPolicy(promotion.product, zone) !== 'after-approval') return;
  const decision = release.status?.zones.find(({ name }) => name === promotion.zone)?.decision;
  const refusal = await decisions.judgeRecorded(decision?.proof, (signed) => approves(signed, promotion));
  if (refusal === undefined) return;
  throw new ServiceError(
    'decision-refused',
    `The promotion of "${promotion.release}" to "${promotion.zone}" was not approved through the API: ${refusal}. Promote the Release again.`,
  );
}

const isSameRelease = ({ spec, status }: Release, { product, version, commit, digest }: RequestedPromotion): boolean =>
  spec.product === product && spec.version === version && spec.commit === commit && status?.digest === digest;

function approves({ action, scope, decision }: SignedDecision, promotion: RequestedPromotion): boolean {
  const { org, product, zone, release } = promotion;
  const isScope = scope.org === org && scope.product === product && scope.zone === zone;
  if (action === 'approvePromotion') return isScope && (decision as { release?: string }).release === release;
  const { request } = decision as { request?: { release?: string } };
  return action === 'promoteManually' && isScope && request?.release === release;
}
