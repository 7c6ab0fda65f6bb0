import { expect, it } from 'vitest';
import { listFiring } from '../../../src/rules/incidents/list-firing.ts';
import { at, buildIncident } from './incident.ts';

it('lists incidents whose alert fires, also those that a person has resolved', () => {
  const open = buildIncident();
  const resolved = buildIncident({ state: 'Resolved', resolvedAt: at(5), resolvedBy: 'jo@example.com' });
  expect(listFiring([open, resolved])).toEqual([
    { incident: open, fingerprint: 'abc', startsAt: at(0) },
    { incident: resolved, fingerprint: 'abc', startsAt: at(0) },
  ]);
});

it('leaves out those whose alert cleared, and those that a person opened', () => {
  const cleared = buildIncident({ episode: { startsAt: at(0), clearedAt: at(9) } });
  const { alert: _alert, ...spec } = cleared.spec;
  const { status: _status, ...manual } = { ...cleared, spec: { ...spec, openedBy: 'jo@example.com' } };
  expect(listFiring([cleared, manual])).toEqual([]);
});
