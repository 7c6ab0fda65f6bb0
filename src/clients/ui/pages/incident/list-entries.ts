import type { Schemas } from '../../api/generated/openapi.ts';
import type { Incident } from '../../api/queries/incidents.ts';
import { toOpenedAt } from '../../parts/incident-state.ts';
import type { State } from '../../parts/phase-state.ts';

export type Promotion = Schemas['Promotion'];
/** A line of the timeline. `what` is the service's words and `text` those of a person. */
export type Entry = {
  key: string;
  at: string;
  mark: State;
  what?: string;
  text?: string;
  by: string;
  isPublic: boolean;
  release?: { name: string; version: string };
};

type IncidentEvent = NonNullable<Incident['status']>['timeline'][number];

const dayMs = 24 * 60 * 60_000;
const words: Record<IncidentEvent['type'], [mark: State, what?: string]> = {
  opened: ['failed', 'Opened.'],
  acknowledged: ['working', 'Acknowledged.'],
  note: ['idle'],
  'alert-cleared': ['done', 'The alert cleared.'],
  resolved: ['done', 'Resolved.'],
  reopened: ['failed', 'The alert fired again.'],
};

/** Lists the events of an incident, newest first, with the Promotions during it and in the day before it. */
export function listEntries(incident: Incident, promotions: readonly Promotion[]): Entry[] {
  const fromMs = Date.parse(toOpenedAt(incident)) - dayMs;
  const toMs = Date.parse(incident.status?.resolvedAt ?? new Date().toISOString());
  const events = (incident.status?.timeline ?? []).map(toEntry);
  const deployed = promotions
    .flatMap(listPromotionEntries)
    .filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) <= toMs);
  // Events of the same moment are listed in reverse order, so the later one comes first.
  return [...deployed.toReversed(), ...events]
    .map((entry, index) => ({ entry, index }))
    .toSorted((one, other) => Date.parse(other.entry.at) - Date.parse(one.entry.at) || other.index - one.index)
    .map(({ entry }) => entry);
}

function toEntry({ type, at, by, text, public: isPublic = false }: IncidentEvent, index: number): Entry {
  const [mark, what] = words[type];
  return {
    key: `event ${index}`,
    at,
    mark,
    by,
    isPublic,
    ...(what !== undefined && { what }),
    ...(text !== undefined && { text }),
  };
}

function listPromotionEntries({ name, spec, status }: Promotion): Entry[] {
  const { healthyAt, failure, decision } = status ?? {};
  const { zone, version, release, startedBy } = spec;
  const common = { isPublic: false, release: { name: release, version } };
  const by = startedBy === 'trigger' ? 'The service' : startedBy;
  return [
    ...(decision
      ? [
          {
            ...common,
            key: `${name} decision`,
            at: decision.at,
            mark: decision.outcome === 'approved' ? ('done' as const) : ('idle' as const),
            what: `was ${decision.outcome} for ${zone}.`,
            by: decision.by,
            ...(decision.note !== undefined && { text: `“${decision.note}”` }),
          },
        ]
      : []),
    ...(healthyAt === undefined
      ? []
      : [
          {
            ...common,
            key: `${name} healthy`,
            at: healthyAt,
            mark: 'done' as const,
            what: `became healthy in ${zone}.`,
            by,
          },
        ]),
    ...(failure
      ? [
          {
            ...common,
            key: `${name} failed`,
            at: failure.at,
            mark: 'failed' as const,
            what: `failed in ${zone}: ${failure.message}`,
            by,
          },
        ]
      : []),
  ];
}
