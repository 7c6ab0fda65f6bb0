import { defined } from '../../defined.ts';
import type { IncidentSpec, IncidentStatus } from './kinds.ts';

type Opening = { spec: IncidentSpec; at: string; promotion?: IncidentStatus['promotion'] };

/** Returns the first status of an incident. The Promotion that counts as its cause never changes afterwards. */
export function openIncident({ spec, at, promotion }: Opening): IncidentStatus {
  const openedAt = spec.alert?.startsAt ?? at;
  return defined({
    state: 'Open' as const,
    openedAt,
    episode: spec.alert && { startsAt: spec.alert.startsAt },
    timeline: [defined({ type: 'opened' as const, at: openedAt, by: spec.openedBy, text: spec.text })],
    promotion,
  });
}
