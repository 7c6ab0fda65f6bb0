import { expect, it } from 'vitest';
import type { ReleaseLane, RunLane } from '../../../src/rules/activity/lanes.ts';
import {
  countConcurrentAgents,
  overlaps,
  sumByRole,
  sumByStage,
  sumWaits,
} from '../../../src/rules/activity/summarize-activity.ts';

const window = { from: 10_000, to: 100_000 };
const work = (role: string, costMicroUsd: number) => ({ role, step: role, tokens: 10, costMicroUsd, seconds: 2 });
const runLane = (parts: Partial<RunLane>): RunLane => ({
  kind: 'run',
  name: 'r',
  product: 'shop',
  agentWorkflow: 'change',
  phase: 'Running',
  from: 0,
  spans: [],
  costMicroUsd: 0,
  work: [],
  ...parts,
});
const releaseLane = (name: string, stages: ReleaseLane['stages']): ReleaseLane => ({
  kind: 'release',
  name,
  product: 'shop',
  version: 'v1.0.0',
  phase: 'Promoting',
  from: 0,
  spans: [],
  stages,
  deployments: [],
});

it.each([
  [{ from: 0, to: 10_000 }, false],
  [{ from: 0, to: 10_001 }, true],
  [{ from: 0 }, true],
  [{ from: 100_000 }, false],
])('%j overlaps the window: %s', (span, expected) => {
  expect(overlaps(span, window)).toBe(expected);
});

it('adds up the work by AgentRole, the dearest first', () => {
  const runs = [runLane({ work: [work('dev', 5), work('critic', 50)] }), runLane({ work: [work('dev', 6)] })];
  expect(sumByRole(runs)).toEqual([
    { role: 'critic', steps: 1, seconds: 2, tokens: 10, costMicroUsd: 50 },
    { role: 'dev', steps: 2, seconds: 4, tokens: 20, costMicroUsd: 11 },
  ]);
});

it('has the median and the latest time of each stage, in order and by the kind of zone', () => {
  const releases = [
    releaseLane('one', [
      { stage: 'build', from: 11_000, to: 21_000 },
      { stage: 'deploy', zone: 'prod', from: 30_000, to: 50_000 },
    ]),
    releaseLane('two', [
      { stage: 'build', from: 22_000, to: 52_000 },
      { stage: 'deploy', zone: 'rc', from: 53_000, to: 54_000 },
      { stage: 'approval', zone: 'prod', from: 60_000 },
    ]),
    releaseLane('old', [{ stage: 'build', from: 1_000, to: 9_000 }]),
  ];
  expect(sumByStage(releases, window, (_, zone) => zone === 'prod')).toEqual([
    {
      stage: 'build',
      count: 2,
      medianSeconds: 20,
      latest: { release: 'two', product: 'shop', seconds: 30, isGoingOn: false },
    },
    {
      stage: 'deploy',
      isReleaseZone: false,
      count: 1,
      medianSeconds: 1,
      latest: { release: 'two', product: 'shop', seconds: 1, isGoingOn: false },
    },
    {
      stage: 'approval',
      isReleaseZone: true,
      count: 0,
      latest: { release: 'two', product: 'shop', seconds: 40, isGoingOn: true },
    },
    {
      stage: 'deploy',
      isReleaseZone: true,
      count: 1,
      medianSeconds: 20,
      latest: { release: 'one', product: 'shop', seconds: 20, isGoingOn: false },
    },
  ]);
});

it('adds up the waits for people within the window, and names the longest', () => {
  const waiting = (from: number, to?: number) => ({ name: 'w', state: 'waiting' as const, from, ...(to && { to }) });
  const one = runLane({ name: 'one', spans: [waiting(0, 15_000)] });
  const two = runLane({ name: 'two', spans: [waiting(90_000)] });
  expect(sumWaits([one, two], window)).toEqual({ seconds: 15, longest: { lane: two, seconds: 10 } });
  expect(sumWaits([], window)).toEqual({ seconds: 0 });
});

it('counts agents that work at the same time, and not those that follow each other', () => {
  const worker = (from: number, to: number) =>
    runLane({ spans: [{ name: 'dev', state: 'done', from, to }], work: [work('dev', 1)] });
  expect(countConcurrentAgents([worker(0, 20_000), worker(20_000, 30_000), worker(25_000, 40_000)], window)).toBe(2);
});
