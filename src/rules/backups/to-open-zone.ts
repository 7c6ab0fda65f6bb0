import type { FreezeStatus, HoldStatus } from '../environments/zone-state.ts';
import type { Product } from '../products/kinds.ts';
import type { Promotion } from '../promotions/kinds.ts';
import type { Release } from '../releases/kinds.ts';
import { compareVersions } from '../releases/next-version.ts';
import { isTerminalZonePhase } from '../releases/release-status.ts';

type OpenPromotion = {
  release: string;
  version: string;
  commit: string;
  digest: string;
  attempt: { id: string; cause?: { trigger: 'manual' | 'rollback'; by: string } };
};

/** The state of a zone's workflow, as far as the resources tell it. */
export type OpenZone = {
  product: string;
  zone: string;
  queue: OpenPromotion[];
  freeze?: FreezeStatus;
  hold?: HoldStatus;
  newestVersion?: string;
  approvedRelease?: string;
  settingsGeneration?: number;
  removal?: { by: string };
};

/** Rebuilds the state of a zone's workflow from the Product and the Promotions to the zone. */
export function toOpenZone(
  { metadata, status }: Product,
  zone: string,
  { promotions, releases }: { promotions: readonly Promotion[]; releases: readonly Release[] },
): OpenZone {
  const product = metadata.name;
  const state = status?.zones?.find(({ name }) => name === zone);
  const own = promotions.filter(({ spec }) => spec.product === product && spec.zone === zone);
  const open = own.filter(({ status: promotion }) => !promotion || !isTerminalZonePhase(promotion.phase));
  const approved = open.find(({ status: promotion }) => promotion?.decision?.outcome === 'approved');
  const newestVersion = own
    .map(({ spec }) => spec.version)
    .toSorted(compareVersions)
    .at(-1);
  const { freeze, hold, settings, removal } = state ?? {};
  return {
    product,
    zone,
    queue: open.flatMap((promotion) => toOpenPromotion(promotion, releases)),
    ...(freeze && { freeze }),
    ...(hold && { hold }),
    ...(newestVersion !== undefined && { newestVersion }),
    ...(approved && { approvedRelease: approved.spec.release }),
    ...(settings?.phase === 'Applying' && { settingsGeneration: settings.generation }),
    ...(removal && { removal: { by: removal.by } }),
  };
}

/** The name of a Promotion ends with the beginning of its id, which is all that is ever used of it. */
function toOpenPromotion({ metadata, spec }: Promotion, releases: readonly Release[]): OpenPromotion[] {
  const { release, version, commit, trigger, startedBy } = spec;
  const digest = releases.find(({ metadata: { name } }) => name === release)?.status?.digest;
  if (digest === undefined) return [];
  const cause = trigger === 'release' ? {} : { cause: { trigger, by: startedBy } };
  return [{ release, version, commit, digest, attempt: { id: metadata.name.slice(-8), ...cause } }];
}
