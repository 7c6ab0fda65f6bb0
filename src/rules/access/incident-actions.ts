import type { IncidentState } from '../incidents/kinds.ts';
import { actionsFor, type Action } from './actions.ts';
import type { OrgRole } from './roles.ts';

/** Lists the operations on an incident. A note can be added at any time. */
export function incidentActions(state: IncidentState, role: OrgRole | undefined): Action[] {
  const resolved = state === 'Resolved' ? 'The incident is already resolved.' : undefined;
  const acknowledged = state === 'Acknowledged' ? 'The incident is already acknowledged.' : undefined;
  return actionsFor(role, [
    { name: 'acknowledgeIncident', requiredRole: 'member', blockedBy: resolved ?? acknowledged },
    { name: 'resolveIncident', requiredRole: 'member', blockedBy: resolved },
    { name: 'addIncidentNote', requiredRole: 'member' },
  ]);
}
