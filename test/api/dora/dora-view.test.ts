import { expect, it } from 'vitest';
import { toDoraView } from '../../../api/dora/dora-view.ts';
import { eventsMax } from '../../../api/dora/schemas.ts';
import type { Dora } from '../../../src/rules/dora/compute-dora.ts';
import type { IncidentRecord, PromotionRecord } from '../../../src/rules/dora/records.ts';

const promotion: PromotionRecord = {
  name: 'p1',
  product: 'shop',
  zone: 'prod',
  release: 'shop-v1',
  version: 'v1.0.0',
  trigger: 'release',
  startedBy: 'ada@example.com',
  phase: 'Verified',
};
const toIncident = (openedAt: number, resolvedAt?: number): IncidentRecord => ({
  name: 'i1',
  product: 'shop',
  title: 'Slow',
  severity: 'critical',
  openedAt,
  ...(resolvedAt !== undefined && { resolvedAt }),
});
const figure = { count: 0, total: 0, previous: { count: 0, total: 0 }, trend: [{ from: 0, value: 3 }], events: [] };
const empty: Dora = {
  deploymentFrequency: figure,
  leadTime: figure,
  changeFailureRate: figure,
  timeToRestore: figure,
};
const window = { current: { from: 0, to: 86_400_000 }, previous: { from: -86_400_000, to: 0 }, parts: [] };
const viewFailure = (changes: Partial<Dora['changeFailureRate']['events'][number]>) => {
  const failed = { promotion, at: 5_000, isHealthy: true, incidents: [], ...changes };
  return toDoraView({ ...empty, changeFailureRate: { ...figure, events: [failed] } }, window, 1).changeFailureRate
    .events[0];
};

it('shows times as text, and the window', () => {
  expect(toDoraView(empty, window, 1)).toMatchObject({
    days: 1,
    from: '1970-01-01T00:00:00.000Z',
    to: '1970-01-02T00:00:00.000Z',
    leadTime: { count: 0, trend: [{ from: '1970-01-01T00:00:00.000Z', value: 3 }] },
  });
});

it('shows the newest events of a figure', () => {
  const events = Array.from({ length: eventsMax + 1 }, (_, at) => ({ promotion, at, isHealthy: true, incidents: [] }));
  const { deploymentFrequency } = toDoraView({ ...empty, deploymentFrequency: { ...figure, events } }, window, 1);
  expect(deploymentFrequency.events).toHaveLength(eventsMax);
  expect(deploymentFrequency.events[0]).toEqual({
    product: 'shop',
    promotion: 'p1',
    release: 'shop-v1',
    version: 'v1.0.0',
    zone: 'prod',
    trigger: 'release',
    startedBy: 'ada@example.com',
    at: '1970-01-01T00:00:00.000Z',
  });
});

it('shows how long a failure lasted: from the first incident until the last one is resolved', () => {
  expect(
    viewFailure({ failure: 'incident', incidents: [toIncident(2_000, 4_000), toIncident(1_000, 9_000)] }),
  ).toMatchObject({ reason: 'incident', restoredSeconds: 8 });
  expect(viewFailure({ failure: 'incident', incidents: [toIncident(9_000, 1_000)] })).toMatchObject({
    restoredSeconds: 0,
  });
  for (const incidents of [[toIncident(2_000, 4_000), toIncident(1_000)], []])
    expect(viewFailure({ failure: 'incident', incidents })).not.toHaveProperty('restoredSeconds');
});

it('names a failed Promotion as the reason when there is no other', () => {
  expect(viewFailure({ promotion: { ...promotion, failure: 'The build failed.' } })).toMatchObject({
    reason: 'promotion-failed',
    message: 'The build failed.',
    incidents: [],
  });
  expect(viewFailure({})).not.toHaveProperty('message');
});
