import { defined } from '../../defined.ts';
import type { Promotion } from '../promotions/kinds.ts';
import type { Release } from '../releases/kinds.ts';
import { isTerminalZonePhase } from '../releases/release-status.ts';
import type { PromotionPart, ReleaseLane, Span, SpanState, StageTime } from './lanes.ts';

/** Returns the lane of a Release before its promotion: build and tag. */
export function toReleaseLane({ metadata, spec, status }: Release): ReleaseLane | undefined {
  if (status?.startedAt === undefined) return undefined;
  const from = Date.parse(status.startedAt);
  const [builtAt, taggedAt, finishedAt] = [status.builtAt, status.taggedAt, status.finishedAt].map(toTime);
  const stages: StageTime[] = [
    defined({ stage: 'build' as const, from, to: builtAt }),
    ...(builtAt === undefined ? [] : [defined({ stage: 'tag' as const, from: builtAt, to: taggedAt })]),
  ];
  const isEnded = finishedAt !== undefined;
  return defined({
    kind: 'release' as const,
    name: metadata.name,
    product: spec.product,
    version: spec.version,
    phase: status.phase,
    from,
    to: finishedAt,
    spans: stages.map(({ stage, ...times }) =>
      defined({
        name: stage,
        state: toStageState(times.to !== undefined, isEnded),
        from: times.from,
        to: times.to ?? finishedAt,
      }),
    ),
    // A stage that failed or was cancelled has no time of its own.
    stages: stages.filter(({ to }) => to !== undefined || !isEnded),
    deployments: [],
  });
}

const toTime = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : Date.parse(timestamp);

const toStageState = (isDone: boolean, isEnded: boolean): SpanState =>
  isDone ? 'done' : isEnded ? 'failed' : 'working';

/** Returns what one Promotion adds to the lane of its Release. */
export function toPromotionPart({ spec, status }: Promotion): PromotionPart | undefined {
  const { zone, release, product, version } = spec;
  if (!status) return undefined;
  const [startedAt, healthyAt, verifiedAt, finishedAt] = [
    status.startedAt,
    status.healthyAt,
    status.verifiedAt,
    status.finishedAt,
  ].map(toTime);
  const isEnded = isTerminalZonePhase(status.phase);
  const failed = status.phase === 'Failed' ? 'failed' : 'idle';
  const work: StageTime[] = [
    ...(startedAt === undefined ? [] : [defined({ stage: 'deploy' as const, zone, from: startedAt, to: healthyAt })]),
    ...(healthyAt === undefined
      ? []
      : [defined({ stage: 'smoke-check' as const, zone, from: healthyAt, to: verifiedAt })]),
  ];
  const waits = listWaits(status, finishedAt);
  const stages = [...waits.filter(({ state }) => state === 'waiting').map(toApproval(zone)), ...work];
  const spans = [
    ...waits.map(({ state, from, to }): Span =>
      defined({ name: state === 'held' ? 'held' : 'approval', zone, state, from, to }),
    ),
    ...work.map(({ stage, from, to }): Span => {
      const state = to !== undefined ? 'done' : isEnded ? failed : 'working';
      return defined({ name: stage, zone, state, from, to: to ?? finishedAt });
    }),
  ];
  const [first] = spans;
  // A Promotion that neither waited nor started has nothing to show.
  if (!first) return undefined;
  return defined({
    release,
    product,
    version,
    from: Math.min(...spans.map(({ from }) => from)),
    to: finishedAt,
    spans,
    stages: stages.filter(({ to }) => to !== undefined || !isEnded),
    deployments: healthyAt === undefined ? [] : [{ zone, healthyAt }],
  });
}

type Wait = { state: 'waiting' | 'held'; from: number; to?: number };

const toApproval =
  (zone: string) =>
  ({ from, to }: Wait): StageTime =>
    defined({ stage: 'approval' as const, zone, from, to });

/** Each wait for an approval ends with the next phase; only the current freeze is known. */
function listWaits({ phases, phase, waitingFor }: NonNullable<Promotion['status']>, end: number | undefined): Wait[] {
  const waits = phases.flatMap((one, index): Wait[] => {
    if (one.phase !== 'WaitingForApproval') return [];
    const to = toTime(phases[index + 1]?.at) ?? end;
    return [{ state: 'waiting', from: Date.parse(one.at), ...(to !== undefined && { to }) }];
  });
  return phase === 'Pending' && waitingFor ? [...waits, { state: 'held', from: Date.parse(waitingFor.since) }] : waits;
}

/** Returns the lane of a Release with its Promotions; an older Release that is promoted again has these alone. */
export function withPromotions(
  lane: ReleaseLane | undefined,
  parts: readonly PromotionPart[],
): ReleaseLane | undefined {
  const [first] = parts;
  const base = lane ?? (first && toLaneOfPromotions(first));
  if (!base) return undefined;
  const isInProgress = parts.some(({ to }) => to === undefined);
  const ends = [base, ...parts].map(({ to = 0 }) => to);
  const { to, ...rest } = base;
  return {
    ...rest,
    from: Math.min(base.from, ...parts.map(({ from }) => from)),
    ...(to !== undefined && !isInProgress && { to: Math.max(...ends) }),
    spans: [...base.spans, ...parts.flatMap(({ spans }) => spans)].toSorted((one, other) => one.from - other.from),
    stages: [...base.stages, ...parts.flatMap(({ stages }) => stages)],
    deployments: parts.flatMap(({ deployments }) => deployments),
  };
}

const toLaneOfPromotions = ({ release, product, version, from, to = from }: PromotionPart): ReleaseLane => ({
  kind: 'release',
  name: release,
  product,
  version,
  phase: 'Succeeded',
  from,
  to,
  spans: [],
  stages: [],
  deployments: [],
});
