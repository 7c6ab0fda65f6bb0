import type { ModelUsage, StepUsage, TurnLedgerStatus } from './ledger-kinds.ts';
import type { Usage } from '../changes/kinds.ts';
import { addUsage } from './usage.ts';

export type TurnUsage = {
  step: string;
  role: string;
  turn: number;
  at?: string | undefined;
  model: string;
  usage: Usage;
};

/**
 * Adds the usage of a turn. Adding the latest response again replaces it, and earlier ones never change, so a retry is safe.
 * A turn that starts over has another response, and both count.
 */
export function addTurnUsage({ steps }: TurnLedgerStatus, added: TurnUsage): TurnLedgerStatus {
  const before = steps.find(({ step }) => step === added.step);
  const others = steps.filter((step) => step !== before);
  return { steps: [...others, before ? extendStepUsage(before, added) : startStepUsage(added)].toSorted(byStep) };
}

const byStep = (one: StepUsage, other: StepUsage): number => one.step.localeCompare(other.step);

const startStepUsage = ({ step, role, ...latestTurn }: TurnUsage): StepUsage => ({
  step,
  role,
  latestTurn,
  earlierTurns: [],
});

function extendStepUsage(step: StepUsage, added: TurnUsage): StepUsage {
  const { latestTurn } = step;
  const order = compareResponses(added, latestTurn);
  if (order < 0) return step;
  const earlierTurns = order === 0 ? step.earlierTurns : addModelUsage(step.earlierTurns, { ...latestTurn, turns: 1 });
  return { ...step, latestTurn: startStepUsage(added).latestTurn, earlierTurns };
}

type ResponseOrder = Pick<TurnUsage, 'turn' | 'at'>;

const compareResponses = (one: ResponseOrder, other: ResponseOrder): number =>
  one.turn - other.turn || (one.at ?? '').localeCompare(other.at ?? '');

function addModelUsage(all: readonly ModelUsage[], { model, turns, usage }: ModelUsage): ModelUsage[] {
  const same = all.find((one) => one.model === model);
  const sum = { model, turns: turns + (same?.turns ?? 0), usage: addUsage(same?.usage, usage) };
  return [...all.filter((one) => one !== same), sum];
}
