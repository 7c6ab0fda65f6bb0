import { expect, it } from 'vitest';
import type { PromotionPart, ReleaseLane, RunLane } from '../../../src/rules/activity/lanes.ts';
import { listLanes } from '../../../src/rules/activity/list-lanes.ts';

const run = (name: string, from: number, to?: number): RunLane => ({
  kind: 'run',
  name,
  product: 'shop',
  agentWorkflow: 'change',
  phase: 'Running',
  from,
  ...(to !== undefined && { to }),
  spans: [],
  costMicroUsd: 0,
  work: [],
});
const release = (name: string, from: number, to: number): ReleaseLane => ({
  kind: 'release',
  name,
  product: 'shop',
  version: 'v1.0.0',
  phase: 'Succeeded',
  from,
  to,
  spans: [],
  stages: [],
  deployments: [],
});
const part: PromotionPart = {
  release: 'old',
  product: 'shop',
  version: 'v1.0.0',
  from: 12,
  to: 13,
  spans: [],
  stages: [],
  deployments: [],
};
const window = { from: 10, to: 20 };
const list = (product?: string) =>
  listLanes(
    {
      runs: [run('ended', 1, 9), run('going', 1), run('late', 15, 16), { ...run('other', 14), product: 'other' }],
      releases: [release('old', 1, 2), release('gone', 1, 2), release('new', 16, 17)],
      promotions: [part],
    },
    { window, product },
  ).map(({ name }) => name);

it('has what was active in the window, the latest start first', () => {
  expect(list()).toEqual(['new', 'late', 'other', 'going', 'old']);
});

it('has the lanes of one Product', () => {
  expect(list('other')).toEqual(['other']);
});
