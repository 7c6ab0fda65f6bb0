import { expect, it } from 'vitest';
import { openIncident } from '../../../src/rules/incidents/open-incident.ts';
import { at, buildIncident } from './incident.ts';

it('opens at the time at which the alert began to fire', () => {
  expect(openIncident({ spec: buildIncident().spec, at: at(9) })).toEqual({
    state: 'Open',
    openedAt: at(0),
    episode: { startsAt: at(0) },
    timeline: [{ type: 'opened', at: at(0), by: 'alert' }],
  });
});

it('opens at once, with what the person wrote', () => {
  const { alert: _alert, ...spec } = buildIncident().spec;
  const status = openIncident({ spec: { ...spec, openedBy: 'ada@example.com', text: 'Slow.' }, at: at(9) });
  expect(status).toEqual({
    state: 'Open',
    openedAt: at(9),
    timeline: [{ type: 'opened', at: at(9), by: 'ada@example.com', text: 'Slow.' }],
  });
});
