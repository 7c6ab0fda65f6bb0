import { describe, expect, it } from 'vitest';
import { toActivitySummary, toLaneView } from '../../../api/activity/activity-view.ts';
import type { ReleaseLane, RunLane, Span } from '../../../src/rules/activity/lanes.ts';

const window = { from: 10_000, to: 60_000 };
const timestamp = (time: number): string => new Date(time).toISOString();

const toRun = (changes: Partial<RunLane> = {}): RunLane => ({
  kind: 'run',
  name: 'run-1',
  product: 'shop',
  from: 20_000,
  spans: [],
  agentWorkflow: 'change',
  phase: 'Running',
  costMicroUsd: 7,
  work: [],
  ...changes,
});
const toRelease = (changes: Partial<ReleaseLane> = {}): ReleaseLane => ({
  kind: 'release',
  name: 'shop-v1',
  product: 'shop',
  from: 20_000,
  spans: [],
  version: 'v1.0.0',
  phase: 'Promoting',
  stages: [],
  deployments: [],
  ...changes,
});
const waiting: Span = { name: 'approval', state: 'waiting', from: 30_000 };
const summarize = (...lanes: (RunLane | ReleaseLane)[]) =>
  toActivitySummary(lanes, { window, isReleaseZone: (product, zone) => product === 'shop' && zone === 'prod' });

describe('toActivitySummary', () => {
  it('counts what goes on and what waits, each lane once', () => {
    const working: Span = { name: 'work', state: 'working', from: 30_000 };
    const hasWaited: Span = { ...waiting, to: 40_000 };
    expect(
      summarize(
        toRun({ spans: [working] }),
        toRun({ spans: [hasWaited, working] }),
        toRun({ spans: [hasWaited, waiting] }),
        toRun({ spans: [hasWaited], to: 50_000 }),
        toRelease({ spans: [waiting] }),
      ),
    ).toMatchObject({ runs: 4, releases: 1, goingOn: 2, waiting: 2, from: timestamp(10_000), to: timestamp(60_000) });
  });

  it('adds up the work of all AgentRoles', () => {
    const work = [
      { role: 'dev', step: 'work', tokens: 5, costMicroUsd: 3, seconds: 2 },
      { role: 'critic', step: 'review', tokens: 50, costMicroUsd: 30, seconds: 20 },
    ];
    expect(summarize(toRun({ work })).agents).toEqual({
      seconds: 22,
      tokens: 55,
      costMicroUsd: 33,
      concurrentMax: 0,
    });
  });

  it.each([
    ['the number of its issue', toRun({ number: 7, spans: [waiting] }), '#7'],
    ['its AgentWorkflow', toRun({ spans: [waiting] }), 'change'],
    ['its version', toRelease({ spans: [waiting] }), 'v1.0.0'],
  ])('names the longest wait by %s', (_, lane, label) => {
    const { kind, name, product } = lane;
    expect(summarize(lane).people).toEqual({ seconds: 30, longest: { kind, name, product, label, seconds: 30 } });
  });

  it('names no wait when there was none', () => {
    expect(summarize(toRun()).people).toEqual({ seconds: 0 });
  });

  it.each([
    ['at the begin of the window', 'shop', 'prod', window.from, true],
    ['within it', 'shop', 'prod', 30_000, true],
    ['before it', 'shop', 'prod', window.from - 1, false],
    ['at its end', 'shop', 'prod', window.to, false],
    ['in another zone', 'shop', 'test', 30_000, false],
    ['of another Product', 'other', 'prod', 30_000, false],
  ])('counts a Release as in production %s: %s %s %i', (_, product, zone, healthyAt, isCounted) => {
    const deployments = [
      { zone: 'test', healthyAt: 30_000 },
      { zone, healthyAt },
    ];
    const { reachedProduction } = summarize(toRelease({ product, deployments }));
    expect(reachedProduction).toEqual(isCounted ? [{ release: 'shop-v1', product, version: 'v1.0.0' }] : []);
  });
});

describe('toLaneView', () => {
  it('shows a run with the spans of the window', () => {
    const spans: Span[] = [
      { name: 'plan', state: 'done', from: 1_000, to: 2_000 },
      { name: 'work', state: 'done', from: 20_000, to: 30_000, round: 2 },
      waiting,
    ];
    expect(toLaneView(toRun({ number: 7, title: 'Fix', to: 50_000, spans }), window)).toStrictEqual({
      kind: 'run',
      name: 'run-1',
      product: 'shop',
      from: timestamp(20_000),
      to: timestamp(50_000),
      number: 7,
      title: 'Fix',
      agentWorkflow: 'change',
      phase: 'Running',
      costMicroUsd: 7,
      spans: [
        { name: 'work', state: 'done', from: timestamp(20_000), to: timestamp(30_000), round: 2 },
        { name: 'approval', state: 'waiting', from: timestamp(30_000) },
      ],
    });
  });

  it('shows a Release that goes on', () => {
    expect(toLaneView(toRelease(), window)).toStrictEqual({
      kind: 'release',
      name: 'shop-v1',
      product: 'shop',
      from: timestamp(20_000),
      version: 'v1.0.0',
      phase: 'Promoting',
      spans: [],
    });
  });
});
