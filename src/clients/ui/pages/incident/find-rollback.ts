import type { Product } from '../../api/types.ts';
import type { Incident } from '../../api/queries/incidents.ts';
import type { Promotion } from './list-entries.ts';

/**
 * Finds the version that ran in the zone before the one that may be the cause. Returns undefined when another version
 * runs by now, as after a rollback. `promotions` are those to the zone, newest first.
 */
export function findRollback(
  { spec, status }: Incident,
  promotions: readonly Promotion[],
  product: Product | undefined,
): { release: string; version: string } | undefined {
  const cause = status?.promotion;
  const running = product?.status?.zones?.find(({ name }) => name === spec.zone)?.release;
  if (cause === undefined || running !== cause.release) return undefined;
  const before = promotions.find(
    (promotion) =>
      promotion.status?.phase === 'Verified' &&
      promotion.spec.release !== cause.release &&
      (promotion.status.healthyAt ?? '') < cause.healthyAt,
  );
  return before && { release: before.spec.release, version: before.spec.version };
}
