import type { Incident, IncidentSpec, IncidentStatus } from '../../../src/rules/incidents/kinds.ts';
import { openIncident } from '../../../src/rules/incidents/open-incident.ts';

export const at = (minute: number): string => new Date(Date.UTC(2026, 10, 24, 12, minute)).toISOString();

const spec: IncidentSpec = {
  product: 'shop',
  zone: 'shop-prod',
  severity: 'critical',
  title: 'shop-prod burns its error budget',
  openedBy: 'alert',
  alert: { name: 'SloFastBurn', fingerprint: 'abc', startsAt: at(0) },
};

export const buildIncident = (
  status: Partial<IncidentStatus> = {},
  changes: Partial<IncidentSpec> = {},
): Incident & { status: IncidentStatus } => ({
  apiVersion: 'service.delivery/v1',
  kind: 'Incident',
  metadata: {
    name: 'shop-prod-1124-1200-0a1b2c3d',
    namespace: 'org-acme',
    uid: 'u1',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: at(1),
  },
  spec: { ...spec, ...changes },
  status: { ...openIncident({ spec: { ...spec, ...changes }, at: at(1) }), ...status },
});

/** Returns the status of an update that must change something. */
export function changed(status: IncidentStatus | undefined): IncidentStatus {
  if (status === undefined) throw new Error('Nothing changed.');
  return status;
}

export const types = ({ timeline }: IncidentStatus): string[] => timeline.map(({ type }) => type);
