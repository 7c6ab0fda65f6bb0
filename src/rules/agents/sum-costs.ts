import type { Usage } from '../changes/kinds.ts';
import type { TurnLedger } from './ledger-kinds.ts';
import { addUsage, noUsage } from './usage.ts';

/** What costs can be told apart by. */
export const costKeys = ['agentRole', 'model', 'product', 'agentWorkflow', 'day'] as const;
export type CostKey = (typeof costKeys)[number];

export type Costs = { turns: number; usage: Usage };
type Line = { keys: Record<CostKey, string> } & Costs;

const nothing: Costs = { turns: 0, usage: noUsage };

export function totalCosts(ledgers: readonly TurnLedger[]): Costs {
  return linesOf(ledgers).reduce<Costs>(add, nothing);
}

/** Sums by one key, the keys in order. */
export function sumCosts(ledgers: readonly TurnLedger[], by: CostKey): { key: string; costs: Costs }[] {
  const groups = Map.groupBy(linesOf(ledgers), ({ keys }) => keys[by]);
  return [...groups]
    .map(([key, lines]) => ({ key, costs: lines.reduce<Costs>(add, nothing) }))
    .toSorted((one, other) => one.key.localeCompare(other.key));
}

const add = (sum: Costs, { turns, usage }: Costs): Costs => ({
  turns: sum.turns + turns,
  usage: addUsage(sum.usage, usage),
});

function linesOf(ledgers: readonly TurnLedger[]): Line[] {
  return ledgers.flatMap(({ spec: { product, agentWorkflow, day }, status }) =>
    (status?.steps ?? []).flatMap(({ role, last, before }) =>
      [...before, { ...last, turns: 1 }].map(({ model, turns, usage }) => ({
        keys: { agentRole: role, model, product, agentWorkflow, day },
        turns,
        usage,
      })),
    ),
  );
}
