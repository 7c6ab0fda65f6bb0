import { median } from '../dora/median.ts';
import { stages as stageOrder, type Lane, type ReleaseLane, type RunLane, type Span, type Stage } from './lanes.ts';

export type ActivityWindow = { from: number; to: number };
export type RoleTotal = { role: string; steps: number; seconds: number; tokens: number; costMicroUsd: number };
export type StageTotal = {
  stage: Stage;
  /** Whether the zone is a release zone; absent for build and tag. */
  isReleaseZone?: boolean;
  count: number;
  medianSeconds?: number;
  latest: { release: string; product: string; seconds: number; isGoingOn: boolean };
};

/** Returns whether a lane, a span or a stage overlaps the window. */
export const overlaps = ({ from, to }: { from: number; to?: number }, window: ActivityWindow): boolean =>
  from < window.to && (to ?? Infinity) > window.from;

/** Adds up the work of agents by AgentRole. A step counts as a whole if its run was active in the window. */
export function sumByRole(runs: readonly RunLane[]): RoleTotal[] {
  const totals = new Map<string, RoleTotal>();
  for (const { role, seconds, tokens, costMicroUsd } of runs.flatMap(({ work }) => work)) {
    const sum = totals.get(role) ?? { role, steps: 0, seconds: 0, tokens: 0, costMicroUsd: 0 };
    totals.set(role, {
      role,
      steps: sum.steps + 1,
      seconds: sum.seconds + seconds,
      tokens: sum.tokens + tokens,
      costMicroUsd: sum.costMicroUsd + costMicroUsd,
    });
  }
  return [...totals.values()].toSorted((one, other) => other.costMicroUsd - one.costMicroUsd);
}

/** Returns the median and the latest time of each stage. A stage that is in progress is the latest, but not in the median. */
export function sumByStage(
  releases: readonly ReleaseLane[],
  window: ActivityWindow,
  isReleaseZone: (product: string, zone: string) => boolean,
): StageTotal[] {
  const times = releases.flatMap(({ name, product, stages }) =>
    stages
      .filter((stage) => overlaps(stage, window))
      .map((stage) => ({
        ...stage,
        release: name,
        product,
        ...(stage.zone !== undefined && { isReleaseZone: isReleaseZone(product, stage.zone) }),
      })),
  );
  const groups = Map.groupBy(
    times,
    ({ isReleaseZone: isRelease = -1, stage }) => Number(isRelease) * stageOrder.length + stageOrder.indexOf(stage),
  );
  return [...groups]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, group]) => {
      const latest = group.reduce((one, other) => (other.from > one.from ? other : one));
      const ended = group.flatMap(({ from, to }) => (to === undefined ? [] : (to - from) / 1_000));
      const medianSeconds = median(ended);
      return {
        stage: latest.stage,
        ...(latest.isReleaseZone !== undefined && { isReleaseZone: latest.isReleaseZone }),
        count: ended.length,
        ...(medianSeconds !== undefined && { medianSeconds }),
        latest: {
          release: latest.release,
          product: latest.product,
          seconds: ((latest.to ?? window.to) - latest.from) / 1_000,
          isGoingOn: latest.to === undefined,
        },
      };
    });
}

/** Returns the time of the window in which lanes waited for people, and the longest wait. */
export function sumWaits(lanes: readonly Lane[], window: ActivityWindow) {
  let [seconds, longest]: [number, { lane: Lane; seconds: number } | undefined] = [0, undefined];
  for (const lane of lanes)
    for (const span of lane.spans) {
      if (span.state !== 'waiting' || !overlaps(span, window)) continue;
      const own = toSecondsWithin(span, window);
      seconds += own;
      if (own > (longest?.seconds ?? 0)) longest = { lane, seconds: own };
    }
  return { seconds, ...(longest && { longest }) };
}

function toSecondsWithin({ from, to }: Span, window: ActivityWindow): number {
  return (Math.min(to ?? window.to, window.to) - Math.max(from, window.from)) / 1_000;
}

/** Returns the largest number of agents that worked at the same time in the window. */
export function countConcurrentAgents(runs: readonly RunLane[], window: ActivityWindow): number {
  const changes = runs.flatMap(({ spans, work }) => {
    const agentSteps = new Set(work.map(({ step }) => step));
    return spans
      .filter((span) => agentSteps.has(span.name) && span.state !== 'waiting' && overlaps(span, window))
      .flatMap(({ from, to = window.to }): [number, number][] => [
        [Math.max(from, window.from), 1],
        [Math.min(to, window.to), -1],
      ]);
  });
  let [current, most] = [0, 0];
  for (const [, change] of changes.toSorted(([one, up], [other, otherUp]) => one - other || up - otherUp)) {
    current += change;
    most = Math.max(most, current);
  }
  return most;
}
