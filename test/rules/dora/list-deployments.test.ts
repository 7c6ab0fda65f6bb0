import { expect, it } from 'vitest';
import { findFirstHealthy, isServiceFailure, listDeployments } from '../../../src/rules/dora/list-deployments.ts';
import type { IncidentRecord, PromotionRecord } from '../../../src/rules/dora/records.ts';

const promotion: PromotionRecord = {
  name: 'p',
  product: 'shop',
  zone: 'prod',
  release: 'r',
  version: 'v1.0.0',
  trigger: 'release',
  startedBy: 'ada@example.com',
  phase: 'Verified',
};
const incident: IncidentRecord = {
  name: 'i',
  product: 'shop',
  title: 'Down',
  severity: 'critical',
  openedAt: 2,
  promotion: 'p',
};
const prod = new Set(['prod']);

it.each<[string, Partial<PromotionRecord>, object | undefined]>([
  ['a healthy one', { healthyAt: 1 }, { at: 1, isHealthy: true }],
  ['one that failed before it was healthy', { phase: 'Failed', finishedAt: 3 }, { at: 3, failure: 'promotion-failed' }],
  [
    'one whose smoke check failed',
    { phase: 'Failed', healthyAt: 1, finishedAt: 3 },
    { at: 1, failure: 'promotion-failed' },
  ],
  ['a superseded one', { phase: 'Superseded', finishedAt: 3 }, undefined],
  ['a rejected one', { phase: 'Rejected', finishedAt: 3 }, undefined],
  ['a cancelled one', { phase: 'Cancelled', finishedAt: 3 }, undefined],
  ['a waiting one', { phase: 'WaitingForApproval' }, undefined],
  ['one to another zone', { zone: 'rc', healthyAt: 1 }, undefined],
])('judges %s', (_, parts, expected) => {
  const [first] = listDeployments({ promotions: [{ ...promotion, ...parts }], incidents: [] }, prod);
  expect(first ?? {}).toMatchObject(expected ?? {});
  expect(first === undefined).toBe(expected === undefined);
});

it.each([
  ['critical', 'incident'],
  ['warning', 'incident'],
  ['info', undefined],
] as const)('with an incident of severity %s has the failure %s', (severity, failure) => {
  const healthy = { ...promotion, healthyAt: 1 };
  const [first] = listDeployments({ promotions: [healthy], incidents: [{ ...incident, severity }] }, prod);
  expect(first?.failure).toBe(failure);
  expect(isServiceFailure({ ...incident, severity })).toBe(failure !== undefined);
});

it('finds the first healthy deployment of each Release, in any order', () => {
  const promotions = [
    { ...promotion, name: 'again', healthyAt: 5 },
    { ...promotion, name: 'first', healthyAt: 3 },
    { ...promotion, name: 'last', healthyAt: 7 },
    { ...promotion, name: 'failed', phase: 'Failed', finishedAt: 1 },
    { ...promotion, name: 'other', release: 'other', healthyAt: 9 },
  ] as const;
  const found = findFirstHealthy(listDeployments({ promotions, incidents: [] }, prod));
  expect([...found].map(([release, first]) => [release, first.promotion.name])).toEqual([
    ['r', 'first'],
    ['other', 'other'],
  ]);
});
