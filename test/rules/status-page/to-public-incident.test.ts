import { describe, expect, it } from 'vitest';
import { toPublicIncident, updatesMax } from '../../../src/rules/status-page/to-public-incident.ts';
import { buildEvent, buildIncident } from './incident-fixture.ts';

const zones = ['shop-prod', 'shop-eu'];
const at = '2026-11-24T10:00:00.000Z';
const alert = {
  name: 'ServiceFastBurn',
  fingerprint: 'f00',
  startsAt: at,
  slo: 'answers',
  ruleUrl: 'https://prom.internal',
};

describe('the public view of an incident', () => {
  it('names neither people nor what they wrote for themselves', () => {
    const timeline = [
      buildEvent('opened', at, { text: 'Jo saw it' }),
      buildEvent('acknowledged', at),
      buildEvent('note', at, { text: 'The password of db-7 is wrong', public: false }),
      buildEvent('resolved', at, { text: 'Restarted by Jo' }),
    ];
    const incident = buildIncident({
      spec: { zone: 'shop-prod' },
      status: { state: 'Resolved', resolvedAt: at, resolvedBy: 'jo@example.com', timeline },
    });
    expect(toPublicIncident(incident, zones)).toEqual({
      title: 'Outage',
      impact: 'down',
      zones: ['shop-prod'],
      openedAt: at,
      resolvedAt: at,
      updates: [
        { at, text: 'The problem is resolved.' },
        { at, text: 'People are working on it.' },
        { at, text: 'A problem was found.' },
      ],
    });
  });

  it('shows a person’s title with the first public note, and never that of an alert', () => {
    const timeline = [buildEvent('opened', at), buildEvent('note', at, { text: 'Orders are late.', public: true })];
    const spec = { title: 'Orders are slow', severity: 'warning' } as const;
    expect(toPublicIncident(buildIncident({ spec, status: { timeline } }), zones)).toMatchObject({
      title: 'Orders are slow',
      impact: 'degraded',
      zones,
      updates: [{ text: 'Orders are late.' }, { text: 'A problem was found.' }],
    });
    const fromAlert = buildIncident({ spec: { ...spec, openedBy: 'alert', alert }, status: { timeline } });
    const view = toPublicIncident(fromAlert, zones);
    expect(view?.title).toBe('Degraded service');
    expect(JSON.stringify(view)).not.toMatch(/ServiceFastBurn|prom\.internal|f00|slow/);
  });

  it('never takes the text of an alert for a public note', () => {
    const timeline = [buildEvent('opened', at, { by: 'alert', text: 'http_requests{pod="a"}', public: true })];
    const view = toPublicIncident(buildIncident({ status: { timeline } }), zones);
    expect(view).toMatchObject({ title: 'Outage', updates: [{ text: 'A problem was found.' }] });
  });

  it('leaves out a notice until a person has written about it', () => {
    const spec = { severity: 'info', title: 'Maintenance on Sunday' } as const;
    expect(toPublicIncident(buildIncident({ spec }), zones)).toBeUndefined();
    const timeline = [buildEvent('note', at, { text: 'From 8 to 9.', public: true })];
    expect(toPublicIncident(buildIncident({ spec, status: { timeline } }), zones)).toMatchObject({
      title: 'Maintenance on Sunday',
      impact: 'none',
    });
  });

  it('holds the newest updates only', () => {
    const timeline = Array.from({ length: updatesMax + 5 }, (_, index) =>
      buildEvent('note', at, { text: `Note ${index}`, public: true }),
    );
    const updates = toPublicIncident(buildIncident({ status: { timeline } }), zones)?.updates;
    expect(updates).toHaveLength(updatesMax);
    expect(updates?.[0]?.text).toBe(`Note ${updatesMax + 4}`);
  });
});
