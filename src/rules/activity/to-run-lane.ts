import { defined } from '../../defined.ts';
import type { AgentWorkflowRun, StepStatus } from '../changes/kinds.ts';
import type { StepRound } from '../changes/run-records.ts';
import type { RoleWork, RunLane, Span, SpanState } from './lanes.ts';

/** Returns the lane of a run: each round of each step, and each time that it waited for a person. */
export function toRunLane({ metadata, spec, status }: AgentWorkflowRun): RunLane | undefined {
  if (status?.startedAt === undefined) return undefined;
  const types = new Map(spec.steps.map(({ name, type }) => [name, type]));
  const work = status.steps.flatMap((step): RoleWork[] => {
    const planned = spec.steps.find(({ name }) => name === step.name);
    return planned?.type === 'agent' && step.usage ? [toRoleWork(planned.role, step)] : [];
  });
  const sentBackAt = status.steps.flatMap(({ rounds = [] }) =>
    rounds.filter(({ outcome }) => outcome === 'changes-requested').map(({ finishedAt }) => finishedAt ?? ''),
  );
  const spans = status.steps.flatMap((step) =>
    toSpans(step, { isHuman: types.get(step.name) === 'human', sentBackAt }),
  );
  return defined({
    kind: 'run' as const,
    name: metadata.name,
    product: spec.product,
    agentWorkflow: spec.agentWorkflow,
    phase: status.phase,
    number: spec.target?.number,
    title: status.issue?.title,
    from: Date.parse(status.startedAt),
    to: toTime(status.finishedAt),
    spans: spans.toSorted((one, other) => one.from - other.from),
    costMicroUsd: work.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0),
    work,
  });
}

const toTime = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : Date.parse(timestamp);

function toRoleWork(role: string, { name, usage }: StepStatus): RoleWork {
  const { inputTokens = 0, outputTokens = 0, costMicroUsd = 0, seconds = 0 } = usage ?? {};
  return { role, step: name, tokens: inputTokens + outputTokens, costMicroUsd, seconds };
}

type StepContext = { isHuman: boolean; sentBackAt: readonly string[] };

function toSpans(step: StepStatus, context: StepContext): Span[] {
  const { name, startedAt, finishedAt, waitingFor, phase } = step;
  const rounds: StepRound[] =
    step.rounds ?? (startedAt === undefined ? [] : [defined({ number: 1, startedAt, finishedAt })]);
  return rounds.flatMap((round, index) => {
    const next = rounds[index + 1];
    const isWaiting = next === undefined && waitingFor !== undefined && finishedAt === undefined;
    const asked = isWaiting && !context.isHuman ? waitingFor.since : undefined;
    // A round that was cancelled ends with its step, or with the beginning of the next.
    const to = round.finishedAt ?? asked ?? next?.startedAt ?? finishedAt;
    const state = toRoundState({ step, round, next }, context);
    const worked: Span = defined({
      name,
      state,
      round: round.number,
      from: Date.parse(round.startedAt),
      to: toTime(to),
    });
    const isUnanswered = round.outcome === 'needs-guidance' || asked !== undefined;
    const isOver = next === undefined && phase !== 'NeedsGuidance' && !isWaiting;
    if (!isUnanswered || to === undefined || isOver) return [worked];
    return [worked, defined({ name, state: 'waiting' as const, from: Date.parse(to), to: toTime(next?.startedAt) })];
  });
}

function toRoundState(
  { step, round, next }: { step: StepStatus; round: StepRound; next: StepRound | undefined },
  { isHuman, sentBackAt }: StepContext,
): SpanState {
  if (isHuman) return 'waiting';
  const { outcome, finishedAt } = round;
  if (outcome === 'failed') return 'failed';
  if (outcome === 'changes-requested') return 'sent-back';
  const repeatedAt = next?.startedAt;
  const isSentBack = repeatedAt !== undefined && sentBackAt.some((at) => (finishedAt ?? '') <= at && at <= repeatedAt);
  if (isSentBack) return 'sent-back';
  if (outcome !== undefined || next !== undefined) return 'done';
  return lastStates[step.phase] ?? 'idle';
}

const lastStates: Partial<Record<StepStatus['phase'], SpanState>> = {
  Running: 'working',
  Waiting: 'waiting',
  NeedsGuidance: 'done',
  Succeeded: 'done',
  Failed: 'failed',
  Rejected: 'failed',
};
