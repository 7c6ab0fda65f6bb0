import type { Context } from 'hono';
import { incidentActions } from '../../src/rules/access/incident-actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind, type Incident, type IncidentStatus } from '../../src/rules/incidents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Ref } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { toView } from '../http/views.ts';

export const incidentRef = ({ org, name }: { org: string; name: string }): Ref => ({
  namespace: orgNamespace(org),
  name,
});

export function toIncidentView(incident: Incident, org: string, role: OrgRole | undefined) {
  const status = getIncidentStatus(incident);
  return toView({ ...incident, status }, org, incidentActions(status.state, role));
}

type Act = { by: string; at: string };

/** Applies what the caller does to an incident, and returns its view; a concurrent change is read and the rule repeated. */
export async function updateIncident(
  c: Context<ApiEnv>,
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  {
    ref,
    change,
  }: { ref: { org: string; name: string }; change: (incident: Incident, act: Act) => IncidentStatus | undefined },
) {
  const act = { by: c.get('caller').email, at: now().toISOString() };
  const updated = await store.updateStatus(IncidentKind, incidentRef(ref), (current) => change(current, act));
  return toIncidentView(updated, ref.org, c.get('role'));
}
