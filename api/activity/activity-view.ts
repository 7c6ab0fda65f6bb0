import { defined } from '../../src/defined.ts';
import type { Lane, ReleaseLane, RunLane, Span } from '../../src/rules/activity/lanes.ts';
import {
  countConcurrentAgents,
  overlaps,
  sumByRole,
  sumByStage,
  sumWaits,
  type ActivityWindow,
} from '../../src/rules/activity/summarize-activity.ts';

type SummaryOptions = { window: ActivityWindow; isReleaseZone: (product: string, zone: string) => boolean };

/** Returns the sums over all lanes of the window. */
export function toActivitySummary(lanes: readonly Lane[], { window, isReleaseZone }: SummaryOptions) {
  const runs = lanes.filter((lane) => lane.kind === 'run');
  const releases = lanes.filter((lane) => lane.kind === 'release');
  const byRole = sumByRole(runs);
  return {
    from: toTimestamp(window.from),
    to: toTimestamp(window.to),
    runs: runs.length,
    releases: releases.length,
    goingOn: lanes.filter((lane) => lane.to === undefined && !isWaiting(lane)).length,
    waiting: lanes.filter(isWaiting).length,
    agents: {
      seconds: sum(byRole, 'seconds'),
      tokens: sum(byRole, 'tokens'),
      costMicroUsd: sum(byRole, 'costMicroUsd'),
      concurrentMax: countConcurrentAgents(runs, window),
    },
    people: toPeople(lanes, window),
    reachedProduction: listReached(releases, { window, isReleaseZone }),
    byRole,
    byStage: sumByStage(releases, window, isReleaseZone),
  };
}

const toTimestamp = (time: number): string => new Date(time).toISOString();

const sum = <Key extends string>(items: readonly Record<Key, number>[], key: Key): number =>
  items.reduce((total, item) => total + item[key], 0);

const isWaiting = ({ spans }: Lane): boolean => spans.some(({ state, to }) => state === 'waiting' && to === undefined);

function toPeople(lanes: readonly Lane[], window: ActivityWindow) {
  const { seconds, longest } = sumWaits(lanes, window);
  if (!longest) return { seconds };
  const { lane } = longest;
  const { kind, name, product } = lane;
  return { seconds, longest: { kind, name, product, label: toLabel(lane), seconds: longest.seconds } };
}

const toLabel = (lane: RunLane | ReleaseLane): string =>
  lane.kind === 'release' ? lane.version : lane.number === undefined ? lane.agentWorkflow : `#${lane.number}`;

function listReached(releases: readonly ReleaseLane[], { window, isReleaseZone }: SummaryOptions) {
  return releases
    .filter(({ product, deployments }) =>
      deployments.some(
        ({ zone, healthyAt }) => window.from <= healthyAt && healthyAt < window.to && isReleaseZone(product, zone),
      ),
    )
    .map(({ name, product, version }) => ({ release: name, product, version }));
}

export function toLaneView(lane: Lane, window: ActivityWindow) {
  const { kind, name, product, from, to } = lane;
  const spans = lane.spans.filter((span) => overlaps(span, window)).map(toSpanView);
  const base = { name, product, from: toTimestamp(from), to: to === undefined ? undefined : toTimestamp(to), spans };
  if (kind === 'release') return { ...defined(base), kind, version: lane.version, phase: lane.phase };
  const { agentWorkflow, phase, number, title, costMicroUsd } = lane;
  return { ...defined({ ...base, number, title }), kind, agentWorkflow, phase, costMicroUsd };
}

const toSpanView = ({ name, state, from, to, round, zone }: Span) =>
  defined({ name, state, from: toTimestamp(from), to: to === undefined ? undefined : toTimestamp(to), round, zone });
