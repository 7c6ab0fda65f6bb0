import type { Spent, StepSpent, TurnLedgerStatus } from './ledger-kinds.ts';
import type { Usage } from '../changes/kinds.ts';
import { addUsage } from './usage.ts';

export type AnsweredTurn = { step: string; role: string; turn: number; model: string; usage: Usage };

/** Notes what a turn used; noting it again replaces it, and turns that others have followed stay as they are. */
export function noteTurn({ steps }: TurnLedgerStatus, answered: AnsweredTurn): TurnLedgerStatus {
  const before = steps.find(({ step }) => step === answered.step);
  const others = steps.filter((step) => step !== before);
  return { steps: [...others, before ? noted(before, answered) : opened(answered)].toSorted(byStep) };
}

const byStep = (one: StepSpent, other: StepSpent): number => one.step.localeCompare(other.step);

const opened = ({ step, role, turn, model, usage }: AnsweredTurn): StepSpent => ({
  step,
  role,
  last: { turn, model, usage },
  before: [],
});

function noted(step: StepSpent, { turn, model, usage }: AnsweredTurn): StepSpent {
  const { last } = step;
  if (turn < last.turn) return step;
  const before = turn === last.turn ? step.before : addSpent(step.before, { ...last, turns: 1 });
  return { ...step, last: { turn, model, usage }, before };
}

function addSpent(all: readonly Spent[], { model, turns, usage }: Spent): Spent[] {
  const same = all.find((one) => one.model === model);
  const sum = { model, turns: turns + (same?.turns ?? 0), usage: addUsage(same?.usage, usage) };
  return [...all.filter((one) => one !== same), sum];
}
