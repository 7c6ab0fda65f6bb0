import {
  IncidentKind,
  type IncidentEvent,
  type IncidentSpec,
  type IncidentStatus,
} from '../../../src/rules/incidents/kinds.ts';
import { buildResource } from '../build-resource.ts';

type Parts = { spec?: Partial<IncidentSpec>; status?: Partial<IncidentStatus> };

/** Builds an incident that a person opened; the timeline gives the rest. */
export const buildIncident = ({ spec, status }: Parts = {}) =>
  buildResource(IncidentKind, {
    spec: { product: 'shop', severity: 'critical', title: 'Disk of db-7 is full', openedBy: 'jo@example.com', ...spec },
    status: { state: 'Open', openedAt: '2026-11-24T10:00:00.000Z', timeline: [], conditions: [], ...status },
  } as never);

export const buildEvent = (
  type: IncidentEvent['type'],
  at: string,
  extra: Partial<IncidentEvent> = {},
): IncidentEvent => ({ type, at, by: 'jo@example.com', ...extra });
