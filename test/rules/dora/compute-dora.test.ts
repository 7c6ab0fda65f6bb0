import { describe, expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { computeDora, listDoraEvents } from '../../../src/rules/dora/compute-dora.ts';
import { toDoraWindow } from '../../../src/rules/dora/dora-window.ts';
import {
  toChangeRecord,
  toIncidentRecord,
  toPromotionRecord,
  toReleaseRecord,
  type DoraRecords,
} from '../../../src/rules/dora/records.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { buildResource } from '../build-resource.ts';
import * as data from './hand-computed.ts';

const isPresent = <T>(one: T | undefined): one is T => one !== undefined;
const named = <T extends { name: string }>({ name, ...rest }: T) => ({ ...rest, metadata: { name } });
const records: DoraRecords = {
  promotions: data.promotions.map((one) => toPromotionRecord(buildResource(PromotionKind, named(one)))),
  releases: data.releases.map((one) => toReleaseRecord(buildResource(ReleaseKind, named(one)))),
  changes: data.runs.map((one) => toChangeRecord(buildResource(AgentWorkflowRunKind, named(one)))).filter(isPresent),
  incidents: data.incidents.map((one) => toIncidentRecord(buildResource(IncidentKind, named(one)))).filter(isPresent),
};
const window = toDoraWindow(data.now.getTime(), 30);
const events = listDoraEvents(records, ['prod']);
const dora = computeDora(events, window);

describe('the hand-computed data', () => {
  it('has at least 60 Promotions and 20 incidents', () => {
    expect(records.promotions.length).toBeGreaterThanOrEqual(60);
    expect(records.incidents.length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.entries(data.expectedFigures))('has the figures of %s to the digit', (measure, expected) => {
    const { events: _events, trend: _trend, ...figure } = dora[measure as keyof typeof dora];
    expect(figure).toEqual(expected);
  });

  it('has the lead time of each Change, and of the Releases by hand', () => {
    const hours = events.leadTimes.map(({ change, promotion, seconds }) => [
      change ?? promotion.version,
      seconds / 3_600,
    ]);
    expect(new Map(hours as [string, number][])).toEqual(data.expectedLeadTimes);
    expect(hours).toHaveLength(data.expectedLeadTimes.size);
  });

  it('has the time to restore of each incident', () => {
    const minutes = events.restores.map(({ incident, seconds }) => [incident.name, seconds / 60] as const);
    expect(new Map(minutes)).toEqual(data.expectedMinutes);
  });

  it('names the failed deployments, newest first', () => {
    expect(dora.changeFailureRate.events.map(({ promotion }) => promotion.name)).toEqual(data.expectedFailures);
  });

  it('has the trend of the Releases, and no value for a part without any', () => {
    const counts = dora.deploymentFrequency.trend.map(({ value = 0 }) => Math.round(value * (3 / 7)));
    expect(counts).toEqual(data.expectedReleasesPerPart);
    expect(dora.deploymentFrequency.trend.at(-1)).toEqual({ from: Date.parse('2026-11-22T00:00:00Z') });
    expect(dora.changeFailureRate.trend.at(-1)).not.toHaveProperty('value');
  });
});

it('has neither a value nor a rating where nothing happened', () => {
  const none = computeDora(
    listDoraEvents({ promotions: [], releases: [], changes: [], incidents: [] }, ['prod']),
    window,
  );
  for (const figure of Object.values(none)) {
    expect(figure).toMatchObject({ count: 0, total: 0, previous: { count: 0, total: 0 }, events: [] });
    expect(figure).not.toHaveProperty('value');
    expect(figure).not.toHaveProperty('rating');
    expect(figure.previous).not.toHaveProperty('value');
  }
});

it('counts a Release and its lead time in the first of several release zones, and each deployment that may fail', () => {
  const inZones = listDoraEvents(records, ['rc', 'prod']);
  const { deploymentFrequency, changeFailureRate, leadTime } = computeDora(inZones, window);
  // v2.1.0 to v2.29.0 without v2.19.0, whose build failed.
  expect(deploymentFrequency).toMatchObject({ count: 28, total: 28 });
  expect(changeFailureRate.total).toBe(28 + 28);
  expect(leadTime.value).toBe(60);
});

it('flags a deployment by the incident that names it, whatever the window', () => {
  const day = toDoraWindow(Date.parse('2026-11-02T23:00:00Z'), 1);
  expect(computeDora(events, day).changeFailureRate).toMatchObject({ value: 1, count: 1, total: 1 });
});
