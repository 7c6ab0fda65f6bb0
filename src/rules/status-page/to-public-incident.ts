import { defined } from '../../defined.ts';
import type { IncidentEvent, IncidentKind } from '../incidents/kinds.ts';
import type { ResourceOf } from '../resource.ts';
import { getOpenedAt, isOpen } from './list-incident-spans.ts';
import { toPublicText } from './to-public-text.ts';

type Incident = ResourceOf<typeof IncidentKind>;

export const updatesMax = 20;

export type PublicUpdate = { at: string; text: string };
/** The parts of an incident that everyone may read. */
export type PublicIncident = {
  title: string;
  impact: 'down' | 'degraded' | 'none';
  /** The zones of the page that the incident affects. */
  zones: string[];
  openedAt: string;
  resolvedAt?: string;
  /** The latest updates, newest first. */
  updates: PublicUpdate[];
};

const impactBySeverity = { critical: 'down', warning: 'degraded', info: 'none' } as const;
const genericTitles = { down: 'Outage', degraded: 'Degraded service', none: 'Notice' };
/** Each event of the timeline says that something happened, never by whom. */
const genericTexts: Partial<Record<IncidentEvent['type'], string>> = {
  opened: 'A problem was found.',
  acknowledged: 'People are working on it.',
  reopened: 'The problem is back.',
  resolved: 'The problem is resolved.',
};

/**
 * Builds the public view of an incident field by field. Only texts that a person marked as public appear; the title of
 * an incident appears once its first one does, and that of an alert never. Undefined for a notice without such a text.
 */
export function toPublicIncident(incident: Incident, zones: readonly string[]): PublicIncident | undefined {
  const { spec, status } = incident;
  const impact = impactBySeverity[spec.severity];
  const timeline = status?.timeline ?? [];
  const hasPublicText = timeline.some(isPublic);
  if (impact === 'none' && !hasPublicText) return undefined;
  const updates = timeline
    .flatMap((event) => toUpdate(event) ?? [])
    .toReversed()
    .slice(0, updatesMax);
  return defined({
    title: spec.alert === undefined && hasPublicText ? toPublicText(spec.title) : genericTitles[impact],
    impact,
    zones: zones.filter((zone) => spec.zone === undefined || spec.zone === zone),
    openedAt: getOpenedAt(incident),
    resolvedAt: isOpen(incident) ? undefined : status?.resolvedAt,
    updates,
  });
}

/** A text by an alert comes from the rule, which was not written for the public. */
const isPublic = ({ public: isMarked, text = '', by }: IncidentEvent): boolean =>
  isMarked === true && text.trim() !== '' && by !== 'alert';

function toUpdate(event: IncidentEvent): PublicUpdate | undefined {
  const text = isPublic(event) ? toPublicText(event.text ?? '') : genericTexts[event.type];
  return text === undefined ? undefined : { at: event.at, text };
}
