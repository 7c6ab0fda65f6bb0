import type { Promotion } from '../promotions/kinds.ts';
import type { IncidentStatus } from './kinds.ts';

const causeWithinMs = 24 * 60 * 60_000;

/** Finds the Promotion that became healthy last before the incident opened, at most 24 hours before. */
export function findCause(promotions: readonly Promotion[], openedAt: string): IncidentStatus['promotion'] {
  const openedMs = Date.parse(openedAt);
  const candidates = promotions.flatMap(({ metadata, spec, status }) => {
    const { healthyAt } = status ?? {};
    if (healthyAt === undefined) return [];
    const beforeMs = openedMs - Date.parse(healthyAt);
    const { release, version } = spec;
    return beforeMs >= 0 && beforeMs <= causeWithinMs ? [{ name: metadata.name, release, version, healthyAt }] : [];
  });
  return candidates.toSorted((one, other) => Date.parse(other.healthyAt) - Date.parse(one.healthyAt))[0];
}
