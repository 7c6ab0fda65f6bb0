import type { Usage } from '../changes/kinds.ts';
import type { TurnLedger } from './ledger-kinds.ts';
import { addUsage, noUsage } from './usage.ts';

/** The keys that costs can be grouped by. */
export const costKeys = ['agentRole', 'model', 'product', 'agentWorkflow', 'day'] as const;
export type CostKey = (typeof costKeys)[number];

export type Costs = { turns: number; usage: Usage };
type CostLine = { keys: Record<CostKey, string> } & Costs;

const zeroCosts: Costs = { turns: 0, usage: noUsage };

export function totalCosts(ledgers: readonly TurnLedger[]): Costs {
  return toCostLines(ledgers).reduce<Costs>(addCosts, zeroCosts);
}

/** Sums the costs by one key, sorted by its values. */
export function sumCosts(ledgers: readonly TurnLedger[], by: CostKey): { key: string; costs: Costs }[] {
  const groups = Map.groupBy(toCostLines(ledgers), ({ keys }) => keys[by]);
  return [...groups]
    .map(([key, lines]) => ({ key, costs: lines.reduce<Costs>(addCosts, zeroCosts) }))
    .toSorted((one, other) => one.key.localeCompare(other.key));
}

const addCosts = (sum: Costs, { turns, usage }: Costs): Costs => ({
  turns: sum.turns + turns,
  usage: addUsage(sum.usage, usage),
});

function toCostLines(ledgers: readonly TurnLedger[]): CostLine[] {
  return ledgers.flatMap(({ spec: { product, agentWorkflow, day }, status }) =>
    (status?.steps ?? []).flatMap(({ role, latestTurn, earlierTurns }) =>
      [...earlierTurns, { ...latestTurn, turns: 1 }].map(({ model, turns, usage }) => ({
        keys: { agentRole: role, model, product, agentWorkflow, day },
        turns,
        usage,
      })),
    ),
  );
}
