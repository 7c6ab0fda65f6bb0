import { expect, it } from 'vitest';
import type { TurnLedgerStatus } from '../../../src/rules/agents/ledger-kinds.ts';
import { type TurnUsage, addTurnUsage } from '../../../src/rules/agents/add-turn-usage.ts';

const turn = (number: number, inputTokens: number, more: Partial<TurnUsage> = {}): TurnUsage => ({
  step: 'build',
  role: 'dev',
  turn: number,
  model: 'm',
  usage: { inputTokens, outputTokens: 1 },
  ...more,
});
const early = '2026-01-01T10:00:00.000Z';
const late = '2026-01-01T11:00:00.000Z';
const addAll = (...turns: TurnUsage[]): TurnLedgerStatus => turns.reduce(addTurnUsage, { steps: [] });

it.each<[string, TurnUsage[], TurnUsage[]]>([
  ['a turn that is added twice', [turn(1, 10), turn(1, 10)], [turn(1, 10)]],
  ['a turn that was retried', [turn(1, 10), turn(2, 20), turn(2, 25)], [turn(1, 10), turn(2, 25)]],
  ['an earlier turn that is added again', [turn(1, 10), turn(2, 20), turn(1, 99)], [turn(1, 10), turn(2, 20)]],
  [
    'an earlier response of the same turn',
    [turn(1, 10, { at: early }), turn(1, 20, { at: late }), turn(1, 99, { at: early })],
    [turn(1, 10, { at: early }), turn(1, 20, { at: late })],
  ],
])('counts %s once', (_, given, same) => {
  expect(addAll(...given)).toEqual(addAll(...same));
});

it('counts both responses of a turn that started over, and each once', () => {
  const first = turn(1, 10, { at: early });
  const second = turn(1, 20, { at: late });
  expect(addAll(first, first, second, second).steps[0]).toEqual({
    step: 'build',
    role: 'dev',
    latestTurn: { turn: 1, at: late, model: 'm', usage: { inputTokens: 20, outputTokens: 1 } },
    earlierTurns: [{ model: 'm', turns: 1, usage: { inputTokens: 10, outputTokens: 1 } }],
  });
});

it('sums the earlier turns by model, for each step', () => {
  const priced = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 2, costMicroUsd: 7 };
  const other = { model: 'other', usage: priced };
  const all = addAll(
    turn(1, 10),
    turn(2, 20),
    turn(3, 0, other),
    turn(1, 3, { step: 'a' }),
    turn(4, 0, other),
    turn(5, 1),
  );
  expect(all.steps.map(({ step }) => step)).toEqual(['a', 'build']);
  expect(all.steps[1]).toEqual({
    step: 'build',
    role: 'dev',
    latestTurn: { turn: 5, model: 'm', usage: { inputTokens: 1, outputTokens: 1 } },
    earlierTurns: [
      { model: 'm', turns: 2, usage: { inputTokens: 30, outputTokens: 2 } },
      {
        model: 'other',
        turns: 2,
        usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, costMicroUsd: 14 },
      },
    ],
  });
});

it('stays small after many turns', () => {
  const all = addAll(...Array.from({ length: 2000 }, (_, index) => turn(index + 1, 10)));
  expect(JSON.stringify(all).length).toBeLessThan(400);
  expect(all.steps[0]?.earlierTurns[0]?.turns).toBe(1999);
});
