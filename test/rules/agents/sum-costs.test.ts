import { expect, it } from 'vitest';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { sumCosts, totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { buildResource } from '../build-resource.ts';

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1, costMicroUsd: inputTokens });
const ledger = (product: string, day: string, role: string) =>
  buildResource(TurnLedgerKind, {
    spec: { run: 'run', product, agentWorkflow: 'change', day },
    status: {
      steps: [
        {
          step: 's',
          role,
          latestTurn: { turn: 3, model: 'new', usage: usage(10) },
          earlierTurns: [{ model: 'old', turns: 2, usage: usage(5) }],
        },
      ],
    },
  });
const ledgers = [ledger('shop', '2026-01-02', 'dev'), ledger('blog', '2026-01-01', 'dev')];

it('sums the latest turn and all earlier turns', () => {
  expect(totalCosts(ledgers)).toEqual({ turns: 6, usage: { inputTokens: 30, outputTokens: 4, costMicroUsd: 30 } });
  expect(totalCosts([])).toEqual({ turns: 0, usage: { inputTokens: 0, outputTokens: 0 } });
});

it.each([
  ['agentRole', { dev: 6 }],
  ['model', { new: 2, old: 4 }],
  ['product', { blog: 3, shop: 3 }],
  ['agentWorkflow', { change: 6 }],
  ['day', { '2026-01-01': 3, '2026-01-02': 3 }],
] as const)('groups by %s, sorted by its values', (by, turns) => {
  const sums = sumCosts(ledgers, by).map(({ key, costs }) => [key, costs.turns] as const);
  expect(sums).toEqual(Object.entries(turns));
});

it('ignores a ledger without a status', () => {
  const { status: _, ...empty } = ledger('shop', '2026-01-01', 'dev');
  expect(totalCosts([empty]).turns).toBe(0);
});
