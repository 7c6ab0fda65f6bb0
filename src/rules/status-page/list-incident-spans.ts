import type { IncidentKind, IncidentStatus } from '../incidents/kinds.ts';
import type { ResourceOf } from '../resource.ts';

type Incident = ResourceOf<typeof IncidentKind>;

/** A time in which an incident was open; `end` is absent while it still is. */
export type Span = { start: Date; end?: Date };

/** Acknowledging an incident does not repair anything, so an acknowledged incident is still open. */
export const isOpen = ({ status }: Pick<Incident, 'status'>): boolean => status?.state !== 'Resolved';

/** Returns when an incident opened; one that was created a moment ago has no status yet. */
export const getOpenedAt = ({ metadata, status }: Pick<Incident, 'metadata' | 'status'>): string =>
  status?.openedAt ?? metadata.creationTimestamp;

/** Lists the times in which an incident was open. It is closed between a resolution and an alert that fires again. */
export function listIncidentSpans(incident: Incident): Span[] {
  const { status } = incident;
  const spans: Span[] = [{ start: new Date(getOpenedAt(incident)) }];
  for (const event of status?.timeline ?? []) applyEvent(spans, event);
  const last = spans.at(-1);
  if (last && status?.resolvedAt !== undefined && status.state === 'Resolved') last.end ??= new Date(status.resolvedAt);
  if (last && isOpen(incident)) delete last.end;
  return spans;
}

function applyEvent(spans: Span[], { type, at }: IncidentStatus['timeline'][number]): void {
  const last = spans.at(-1);
  if (type === 'resolved' && last) last.end ??= new Date(at);
  if (type === 'reopened' && last?.end) spans.push({ start: new Date(at) });
}
