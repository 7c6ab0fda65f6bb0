import type { Schemas } from '../../api/generated/openapi.ts';
import type { Step } from '../../api/types.ts';
import { toState, type State } from '../../parts/phase-state.ts';

type Round = Schemas['Round'];
export type Bar = { from: number; to: number; look: State | 'sent'; words: string };

type Rounds = readonly Round[] | undefined;

const kept = new WeakMap<Step, { rounds: Rounds; now: number; bars: Bar[] }>();

/** The bars of a step: one for each round of its agent, or one for the whole step. Of hundreds of steps, few change. */
export function toBars(step: Step, rounds: Rounds, now: number): Bar[] {
  const last = kept.get(step);
  if (last && last.rounds === rounds && (last.now === now || step.finishedAt !== undefined)) return last.bars;
  const bars = computeBars(step, rounds ?? [], now);
  kept.set(step, { rounds, now, bars });
  return bars;
}

function computeBars(step: Step, rounds: readonly Round[], now: number): Bar[] {
  const { startedAt, finishedAt, phase, waitingFor, decision } = step;
  if (startedAt === undefined) return [];
  const end = finishedAt === undefined ? now : Date.parse(finishedAt);
  const waitsSince = waitingFor && Date.parse(waitingFor.since);
  const worked = rounds.flatMap((round, index) => toRoundBar(round, rounds[index + 1], step, end) ?? []);
  const waiting: Bar[] =
    waitsSince !== undefined && phase !== 'Running'
      ? [{ from: waitsSince, to: end, look: 'waiting', words: 'Waiting for a person' }]
      : [];
  if (worked.length > 0) return [...worked, ...waiting];
  // The time of a step that a person decided was spent waiting for that person.
  const look = decision ? 'waiting' : toState(phase);
  return [{ from: Date.parse(startedAt), to: end, look, words: decision ? 'Waited for a person' : '' }];
}

function toRoundBar(round: Round, next: Round | undefined, step: Step, end: number): Bar | undefined {
  if (round.startedAt === undefined) return undefined;
  const from = Date.parse(round.startedAt);
  const isLast = next === undefined;
  const stopped = isLast ? end : Date.parse(next.startedAt ?? round.startedAt);
  const asked = isLast && step.waitingFor && step.phase === 'NeedsGuidance' ? Date.parse(step.waitingFor.since) : end;
  const to = Math.min(round.finishedAt === undefined ? Math.min(stopped, asked) : Date.parse(round.finishedAt), end);
  const isSentBack = round.outcome === 'changes-requested' ? !isLast : next?.trigger === 'changes-requested';
  if (isSentBack) return { from, to, look: 'sent', words: 'Sent back by a review' };
  const isOver = round.finishedAt !== undefined || !isLast;
  const state = isLast && step.phase !== 'NeedsGuidance' ? toState(step.phase) : 'done';
  return { from, to, look: isOver && state === 'working' ? 'done' : state, words: '' };
}
