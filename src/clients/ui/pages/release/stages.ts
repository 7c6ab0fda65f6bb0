import type { Release, ReleaseZone } from '../../api/types.ts';
import { toState, toWords, type State } from '../../parts/phase-state.ts';
import { isMachine, toWaitedFor } from '../../parts/waited-for.ts';

/** A part of the way of a Release. `wait` is the time of a person, which is not work. */
export type Stage = {
  name: string;
  state: State;
  words: string;
  startedAt?: string | undefined;
  endedAt?: string | undefined;
  wait?: true;
};

type Times = Pick<Stage, 'startedAt' | 'endedAt'>;

/** Lists the stages of a Release in order: build, tag, and for each zone its approval, deployment and check. */
export function listStages({ status, createdAt }: Release): Stage[] {
  const { startedAt = createdAt, builtAt, taggedAt, phase = 'Building' } = status ?? {};
  return [
    { name: 'Build', ...judge({ startedAt, endedAt: builtAt }, phase, ['Building']) },
    { name: 'Tag', ...judge({ startedAt: builtAt, endedAt: taggedAt }, phase, ['Tagging']) },
    ...(status?.zones ?? []).flatMap(listZoneStages),
  ];
}

function listZoneStages({ name, phase, decision, waitingFor, startedAt, healthyAt, verifiedAt }: ReleaseZone): Stage[] {
  const person = waitingFor && !isMachine(waitingFor.role) ? waitingFor : undefined;
  const deploy = {
    ...judge({ startedAt, endedAt: healthyAt }, phase, ['Promoting', 'Deploying']),
    ...(waitingFor && !person && { state: 'waiting' as const, words: `Waits for ${toWaitedFor(waitingFor.role)}` }),
  };
  const check = judge({ startedAt: healthyAt, endedAt: verifiedAt }, phase, ['Healthy', 'Verifying']);
  const isRejected = decision?.outcome === 'rejected';
  return [
    ...(person
      ? [
          {
            name: `${name}: approval`,
            state: 'waiting' as const,
            words: toWords('WaitingForApproval'),
            startedAt: person.since,
            wait: true as const,
          },
        ]
      : []),
    ...(decision && !person
      ? [
          {
            name: `${name}: approval`,
            state: isRejected ? ('failed' as const) : ('done' as const),
            words: isRejected ? 'Rejected' : 'Approved',
            endedAt: decision.at,
            wait: true as const,
          },
        ]
      : []),
    { name: `${name}: deploy`, ...deploy },
    { name: `${name}: check`, ...check },
  ];
}

const over = ['Failed', 'Cancelled', 'Superseded', 'Rejected'];

/** A stage that has not ended is in progress in one of its phases, and shares a failure only after it started. */
function judge(times: Times, phase: string, going: string[]): Omit<Stage, 'name'> {
  if (times.endedAt !== undefined) return { ...times, state: 'done', words: 'Done' };
  if (going.includes(phase)) return { ...times, state: 'working', words: toWords(phase) };
  if (times.startedAt !== undefined && over.includes(phase))
    return { state: toState(phase), words: toWords(phase), startedAt: times.startedAt, endedAt: times.startedAt };
  return { state: 'idle', words: 'Not started' };
}

/** The time that a stage took so far. */
export function measureStage({ startedAt, endedAt, state }: Stage, now: number): number | undefined {
  if (startedAt === undefined || startedAt === endedAt) return undefined;
  if (endedAt === undefined && state === 'idle') return undefined;
  return Math.max(0, (endedAt === undefined ? now : Date.parse(endedAt)) - Date.parse(startedAt));
}

/** The median time of each stage that other Releases finished. */
export function findMedians(releases: readonly Release[]): Map<string, number> {
  const times = releases.flatMap(listStages).flatMap((stage) => {
    const ms = stage.state === 'done' ? measureStage(stage, 0) : undefined;
    return ms === undefined ? [] : [{ name: stage.name, ms }];
  });
  const groups = Map.groupBy(times, ({ name }) => name);
  return new Map([...groups].map(([name, group]) => [name, toMedian(group.map(({ ms }) => ms))]));
}

function toMedian(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
