import { expect, it } from 'vitest';
import { withAcknowledgement, withNote, withResolution } from '../../../src/rules/incidents/handle-incident.ts';
import { at, buildIncident, changed } from './incident.ts';

const ada = { by: 'ada@example.com', at: at(2) };
const bob = { by: 'bob@example.com', at: at(3) };

it('keeps the first of two acknowledgements', () => {
  const incident = buildIncident();
  const status = changed(withAcknowledgement(incident, ada));
  expect(status).toMatchObject({ state: 'Acknowledged', acknowledgedAt: at(2), acknowledgedBy: ada.by });
  expect(withAcknowledgement({ ...incident, status }, bob)).toBeUndefined();
});

it('keeps what fixed it', () => {
  expect(withResolution(buildIncident(), { ...ada, text: 'Rolled back.', public: true })).toMatchObject({
    state: 'Resolved',
    resolvedBy: ada.by,
    timeline: [{ type: 'opened' }, { type: 'resolved', ...ada, text: 'Rolled back.', public: true }],
  });
});

it.each(['alert', 'ada@example.com'])('refuses an acknowledgement after a resolution by %s', (resolvedBy) => {
  const incident = buildIncident({ state: 'Resolved', resolvedAt: at(2), resolvedBy });
  const refusal = expect.objectContaining({ reason: 'incident-resolved' });
  expect(() => withAcknowledgement(incident, bob)).toThrow(refusal);
  expect(() => withResolution(incident, { ...bob, text: 'Again.' })).toThrow(refusal);
  expect(withNote(incident, { ...bob, text: 'The disk was full.' }).state).toBe('Resolved');
});
