import { defined } from '../../defined.ts';
import type { RunStatus, StepStatus } from './kinds.ts';
import type { RunPatch, StepPatch } from './run-patch.ts';
import type { RunDecision, StepRound } from './run-records.ts';

/** The newest rounds of a step and decisions of a run are kept: a Kubernetes resource has at most 1.5 MB. */
export const roundsMax = 30;
export const decisionsMax = 100;
const summaryCharactersMax = 1_000;

/** Returns the rounds of a step after a patch. A new start begins a round, and a result belongs to the last one. */
function appendRounds(step: StepStatus, patch: StepPatch, headSha: string | undefined): StepRound[] {
  const rounds = step.rounds ?? [];
  const last = rounds.at(-1);
  const begins = typeof patch.startedAt === 'string' && patch.startedAt !== last?.startedAt;
  const current = begins ? { number: (last?.number ?? 0) + 1, startedAt: patch.startedAt ?? '' } : last;
  if (!current) return rounds;
  const result = toResult(step, patch);
  const updated: StepRound = {
    ...current,
    ...result,
    ...defined({ finishedAt: patch.finishedAt ?? undefined, headSha: result.outcome && headSha }),
  };
  return [...(begins ? rounds : rounds.slice(0, -1)), updated].slice(-roundsMax);
}

function toResult(step: StepStatus, patch: StepPatch): Pick<StepRound, 'outcome' | 'summary' | 'by'> {
  const { verdict, decision, failure, phase } = patch;
  if (decision) return { outcome: decision.outcome, by: decision.by, ...truncate(decision.note) };
  if (verdict) return { outcome: verdict.outcome, ...truncate(verdict.summary) };
  if (failure) return { outcome: 'failed', ...truncate(failure.message) };
  return phase === 'Succeeded' && !step.verdict ? { outcome: 'done' } : {};
}

const truncate = (text: string | undefined): { summary?: string } => {
  if (!text) return {};
  return { summary: text.length > summaryCharactersMax ? `${text.slice(0, summaryCharactersMax)}…` : text };
};

/** Returns the decisions about a run after a patch, oldest first. */
function appendDecisions(decisions: RunDecision[], { steps = [], cancelledBy }: RunPatch): RunDecision[] {
  const made: RunDecision[] = [
    ...steps.flatMap(({ name: step, decision, guidance }) => [
      ...(decision ? [{ step, ...decision }] : []),
      ...(guidance ? [{ step, ...guidance }] : []),
    ]),
    ...(cancelledBy ? [{ ...cancelledBy, outcome: 'cancelled' as const }] : []),
  ];
  const added = made.filter(
    (one) => !decisions.some(({ step, by, at }) => step === one.step && by === one.by && at === one.at),
  );
  return added.length === 0 ? decisions : [...decisions, ...added].slice(-decisionsMax);
}

/** Adds the rounds and decisions of a patch to the status that it results in. */
export function appendRecords(after: RunStatus, patch: RunPatch): RunStatus {
  const steps = after.steps.map((step) => {
    const stepPatch = patch.steps?.find(({ name }) => name === step.name);
    const rounds = stepPatch && appendRounds(step, stepPatch, after.pullRequest?.headSha);
    return rounds && rounds.length > 0 ? { ...step, rounds } : step;
  });
  const decisions = appendDecisions(after.decisions ?? [], patch);
  return { ...after, steps, ...(decisions.length > 0 && { decisions }) };
}
