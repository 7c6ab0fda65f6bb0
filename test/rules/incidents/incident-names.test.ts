import { expect, it } from 'vitest';
import { alertIncidentName, manualIncidentName } from '../../../src/rules/incidents/incident-names.ts';

const zone = { product: 'boarding', zone: 'boarding-prod' };
const startsAt = '2026-11-19T14:25:00.000Z';

it('names an incident by its zone, its time and its episode', () => {
  const name = alertIncidentName(zone, { fingerprint: 'a1', startsAt });
  expect(name).toMatch(/^boarding-prod-1119-1425-[0-9a-f]{8}$/);
  expect(alertIncidentName(zone, { fingerprint: 'a1', startsAt })).toBe(name);
  expect(alertIncidentName(zone, { fingerprint: 'a2', startsAt })).not.toBe(name);
  expect(alertIncidentName(zone, { fingerprint: 'a1', startsAt: '2026-11-19T14:25:00.001Z' })).not.toBe(name);
});

it('names an incident that a person opens by the request', () => {
  expect(manualIncidentName({ product: 'boarding' }, { at: startsAt, id: 'r1' })).toMatch(/^boarding-1119-1425-/);
});
