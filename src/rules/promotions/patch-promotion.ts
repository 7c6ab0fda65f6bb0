import { applyMergePatch } from '../apply-merge-patch.ts';
import { isTerminalZonePhase, type ZonePatch } from '../releases/release-status.ts';
import type { PromotionStatus } from './kinds.ts';

/** A Promotion passes about ten phases; a freeze can repeat some of them. */
export const phasesMax = 100;

/** Applies what is recorded about a promotion; applying the same patch twice has the same result. */
export function patchPromotion(
  status: PromotionStatus | undefined,
  { address: _address, promotion: _promotion, ...patch }: ZonePatch,
  at: string,
): PromotionStatus {
  const before: PromotionStatus = status ?? { phase: 'Pending', phases: [{ phase: 'Pending', at }] };
  const { finishedAt = at, ...after } = applyMergePatch(before, patch);
  const { phase } = after;
  const phases = phase === before.phase ? before.phases : [...before.phases, { phase, at }].slice(-phasesMax);
  return { ...after, phases, ...(isTerminalZonePhase(phase) && { finishedAt }) };
}

/** Returns the name of a Promotion: the Release, the zone and the beginning of its id. */
export const promotionName = ({ release, zone, id }: { release: string; zone: string; id: string }): string =>
  `${release}-${zone}-${id.slice(0, 8)}`;
