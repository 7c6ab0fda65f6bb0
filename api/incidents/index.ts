import type { ApiDeps, App } from '../deps.ts';
import { acknowledgeIncident } from './acknowledge-incident.ts';
import { addIncidentNote } from './add-incident-note.ts';
import { getIncident } from './get-incident.ts';
import { listIncidents } from './list-incidents.ts';
import { openIncident } from './open-incident.ts';
import { receiveAlerts } from './receive-alerts.ts';
import { resolveIncident } from './resolve-incident.ts';

export function incidents(app: App, deps: ApiDeps): void {
  listIncidents(app, deps);
  openIncident(app, deps);
  getIncident(app, deps);
  acknowledgeIncident(app, deps);
  resolveIncident(app, deps);
  addIncidentNote(app, deps);
  receiveAlerts(app, deps);
}
