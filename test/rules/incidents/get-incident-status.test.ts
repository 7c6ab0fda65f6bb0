import { expect, it } from 'vitest';
import { getIncidentStatus } from '../../../src/rules/incidents/get-incident-status.ts';
import { at, buildIncident } from './incident.ts';

it('shows an incident without a status as open', () => {
  const { status: _status, ...incident } = buildIncident();
  expect(getIncidentStatus(incident)).toMatchObject({ state: 'Open', openedAt: at(0) });
  const { alert: _alert, ...spec } = incident.spec;
  expect(getIncidentStatus({ ...incident, spec }).openedAt).toBe(at(1));
});

it('returns the status that is stored', () => {
  const incident = buildIncident({ state: 'Resolved' });
  expect(getIncidentStatus(incident)).toBe(incident.status);
});
