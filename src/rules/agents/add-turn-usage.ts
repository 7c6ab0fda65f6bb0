import type { ModelUsage, StepUsage, TurnLedgerStatus } from './ledger-kinds.ts';
import type { Usage } from '../changes/kinds.ts';
import { addUsage } from './usage.ts';

export type TurnUsage = { step: string; role: string; turn: number; model: string; usage: Usage };

/** Adds the usage of a turn. Adding the latest turn again replaces it, and earlier turns never change, so a retry is safe. */
export function addTurnUsage({ steps }: TurnLedgerStatus, added: TurnUsage): TurnLedgerStatus {
  const before = steps.find(({ step }) => step === added.step);
  const others = steps.filter((step) => step !== before);
  return { steps: [...others, before ? extendStepUsage(before, added) : startStepUsage(added)].toSorted(byStep) };
}

const byStep = (one: StepUsage, other: StepUsage): number => one.step.localeCompare(other.step);

const startStepUsage = ({ step, role, turn, model, usage }: TurnUsage): StepUsage => ({
  step,
  role,
  latestTurn: { turn, model, usage },
  earlierTurns: [],
});

function extendStepUsage(step: StepUsage, { turn, model, usage }: TurnUsage): StepUsage {
  const { latestTurn } = step;
  if (turn < latestTurn.turn) return step;
  const earlierTurns =
    turn === latestTurn.turn ? step.earlierTurns : addModelUsage(step.earlierTurns, { ...latestTurn, turns: 1 });
  return { ...step, latestTurn: { turn, model, usage }, earlierTurns };
}

function addModelUsage(all: readonly ModelUsage[], { model, turns, usage }: ModelUsage): ModelUsage[] {
  const same = all.find((one) => one.model === model);
  const sum = { model, turns: turns + (same?.turns ?? 0), usage: addUsage(same?.usage, usage) };
  return [...all.filter((one) => one !== same), sum];
}
