import { expect, it } from 'vitest';
import { applyAlert, isSameIncident } from '../../../src/rules/incidents/apply-alert.ts';
import { withAcknowledgement, withResolution } from '../../../src/rules/incidents/handle-incident.ts';
import type { Incident } from '../../../src/rules/incidents/kinds.ts';
import { at, buildIncident, changed, types } from './incident.ts';

type Episode = { startsAt: string; endsAt?: string; updatedAt?: string };
const fires = (minute: number): Episode => ({ startsAt: at(minute) });
const clears = (minute: number, end: number): Episode => ({ startsAt: at(minute), endsAt: at(end) });
const person = { by: 'ada@example.com', at: at(5) };

/** Applies messages one after another, each twice, as two peers send them. */
const apply = (incident: Incident, ...alerts: Episode[]) =>
  alerts
    .flatMap((alert) => [alert, alert])
    .reduce((current, alert) => {
      const status = applyAlert(current, alert);
      return status ? { ...current, status } : current;
    }, incident);
const statusAfter = (incident: Incident, ...alerts: Episode[]) => changed(apply(incident, ...alerts).status);

it('changes nothing when Alertmanager sends an alert again', () => {
  expect(applyAlert(buildIncident(), fires(0))).toBeUndefined();
});

it('resolves the incident when its alert clears, once', () => {
  const status = statusAfter(buildIncident(), clears(0, 4));
  expect(status).toMatchObject({ state: 'Resolved', resolvedAt: at(4), resolvedBy: 'alert' });
  expect(types(status)).toEqual(['opened', 'alert-cleared', 'resolved']);
});

it('reopens an incident, without its acknowledgement, when the alert fires again within 15 minutes', () => {
  const incident = buildIncident();
  const acknowledged = { ...incident, status: changed(withAcknowledgement(incident, person)) };
  const status = statusAfter(acknowledged, clears(0, 6), fires(20));
  expect(status).toMatchObject({ state: 'Open', episode: { startsAt: at(20) }, openedAt: at(0) });
  expect(status).not.toHaveProperty('resolvedAt');
  expect(status).not.toHaveProperty('acknowledgedAt');
  expect(types(status)).toEqual(['opened', 'acknowledged', 'alert-cleared', 'resolved', 'reopened']);
});

it.each([
  ['within 15 minutes of its resolution', 18, true],
  ['later', 19, false],
])('judges whether an alert that fires again %s is the same incident', (_when, minute, isSame) => {
  expect(isSameIncident(apply(buildIncident(), clears(0, 4)), fires(minute))).toBe(isSame);
});

it('stays resolved while the alert fires after a person resolved it, until it clears and fires again', () => {
  const incident = buildIncident();
  const resolved = { ...incident, status: withResolution(incident, { ...person, text: 'Rolled back.' }) };
  expect(isSameIncident(resolved, fires(4))).toBe(true);
  expect(applyAlert(resolved, fires(0))).toBeUndefined();
  expect(statusAfter(resolved, fires(1)).state).toBe('Resolved');
  const cleared = apply(resolved, clears(0, 9));
  expect(cleared.status).toMatchObject({ state: 'Resolved', resolvedAt: at(5), resolvedBy: person.by });
  expect(statusAfter(cleared, fires(10)).state).toBe('Open');
});

it('fires again after a person resolved it, although the message that it cleared was lost', () => {
  const incident = buildIncident();
  const resolved = { ...incident, status: withResolution(incident, { ...person, text: 'Rolled back.' }) };
  expect(isSameIncident(resolved, fires(19))).toBe(true);
  expect(statusAfter(resolved, fires(6))).toMatchObject({ state: 'Open', episode: { startsAt: at(6) } });
  expect(isSameIncident(resolved, fires(20)), 'too late to be the same').toBe(false);
});

it('ignores a late message about an earlier episode', () => {
  const reopened = apply(buildIncident(), clears(0, 4), fires(10));
  expect(applyAlert(reopened, clears(0, 4))).toBeUndefined();
  expect(applyAlert(reopened, fires(0))).toBeUndefined();
});

it('reopens when Alertmanager receives an episode again that expired there', () => {
  const expired = apply(buildIncident(), clears(0, 4));
  expect(applyAlert(expired, { ...fires(0), updatedAt: at(3) }), 'what a peer received before').toBeUndefined();
  const resumed = apply(expired, { ...fires(0), updatedAt: at(40) });
  expect(resumed.status).toMatchObject({ state: 'Open', openedAt: at(0), episode: { startsAt: at(0) } });
  expect(types(changed(resumed.status))).toEqual(['opened', 'alert-cleared', 'resolved', 'reopened']);
  expect(changed(resumed.status).timeline.at(-1)?.at).toBe(at(40));
  expect(statusAfter(resumed, clears(0, 50))).toMatchObject({ state: 'Resolved', resolvedAt: at(50) });
});

it('stays resolved by a person when its alert, which had expired, still fires', () => {
  const incident = buildIncident();
  const resolved = { ...incident, status: withResolution(incident, { ...person, text: 'Rolled back.' }) };
  const status = statusAfter(resolved, clears(0, 9), { ...fires(0), updatedAt: at(40) });
  expect(status).toMatchObject({ state: 'Resolved', resolvedBy: person.by, episode: { startsAt: at(0) } });
  expect(status.episode).not.toHaveProperty('clearedAt');
});

it('does not reopen for an episode that is over already', () => {
  const resolved = apply(buildIncident(), clears(0, 4));
  expect(applyAlert(resolved, clears(6, 7))).toBeUndefined();
});

it('continues when the message that the alert cleared was lost', () => {
  const later = apply(buildIncident(), fires(30));
  expect(types(changed(later.status))).toEqual(['opened']);
  expect(statusAfter(later, clears(30, 40)).resolvedAt).toBe(at(40));
});

it('opens an incident whose first status was lost', () => {
  const { status: _status, ...incident } = buildIncident();
  expect(applyAlert(incident, fires(0))).toMatchObject({ state: 'Open', openedAt: at(0) });
});
