import { describe, expect, it } from 'vitest';
import { getOpenedAt, isOpen, listIncidentSpans } from '../../../src/rules/status-page/list-incident-spans.ts';
import { buildEvent, buildIncident } from './incident-fixture.ts';

const at = (time: string): string => `2026-11-24T${time}:00.000Z`;

describe('the times in which an incident was open', () => {
  it('end with the resolution and begin again when it is reopened', () => {
    const timeline = [
      buildEvent('opened', at('10:00')),
      buildEvent('acknowledged', at('10:05')),
      buildEvent('resolved', at('10:30')),
      buildEvent('reopened', at('10:40')),
      buildEvent('resolved', at('11:00')),
    ];
    const incident = buildIncident({ status: { state: 'Resolved', resolvedAt: at('11:00'), timeline } });
    expect(listIncidentSpans(incident)).toEqual([
      { start: new Date(at('10:00')), end: new Date(at('10:30')) },
      { start: new Date(at('10:40')), end: new Date(at('11:00')) },
    ]);
    expect(isOpen(incident)).toBe(false);
  });

  it('go on while it is acknowledged', () => {
    const incident = buildIncident({ status: { state: 'Acknowledged' } });
    expect(listIncidentSpans(incident)).toEqual([{ start: new Date(at('10:00')) }]);
    expect(isOpen(incident)).toBe(true);
  });

  it('end with the last resolution when the timeline has lost it', () => {
    const incident = buildIncident({ status: { state: 'Resolved', resolvedAt: at('10:20') } });
    expect(listIncidentSpans(incident)).toEqual([{ start: new Date(at('10:00')), end: new Date(at('10:20')) }]);
  });

  it('begin with the creation before there is a status', () => {
    const incident: Parameters<typeof listIncidentSpans>[0] = buildIncident();
    delete incident.status;
    expect(getOpenedAt(incident)).toBe(incident.metadata.creationTimestamp);
    expect(isOpen(incident)).toBe(true);
  });
});
