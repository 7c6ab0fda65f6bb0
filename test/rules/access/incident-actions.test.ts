import { expect, it } from 'vitest';
import { incidentActions } from '../../../src/rules/access/incident-actions.ts';
import type { IncidentState } from '../../../src/rules/incidents/kinds.ts';

it.each<[IncidentState, string[]]>([
  ['Open', ['acknowledgeIncident', 'resolveIncident', 'addIncidentNote']],
  ['Acknowledged', ['resolveIncident', 'addIncidentNote']],
  ['Resolved', ['addIncidentNote']],
])('allows a member on an incident in the state %s: %j', (state, names) => {
  const allowed = incidentActions(state, 'member').filter((action) => action.allowed);
  expect(allowed.map(({ name }) => name)).toEqual(names);
});

it('allows a viewer nothing', () => {
  expect(incidentActions('Open', 'viewer').map(({ reason }) => reason)).toEqual(
    Array.from({ length: 3 }, () => 'role-insufficient'),
  );
});
