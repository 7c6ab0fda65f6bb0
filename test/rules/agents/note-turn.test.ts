import { expect, it } from 'vitest';
import type { TurnLedgerStatus } from '../../../src/rules/agents/ledger-kinds.ts';
import { type AnsweredTurn, noteTurn } from '../../../src/rules/agents/note-turn.ts';

const turn = (number: number, inputTokens: number, more: Partial<AnsweredTurn> = {}): AnsweredTurn => ({
  step: 'build',
  role: 'dev',
  turn: number,
  model: 'm',
  usage: { inputTokens, outputTokens: 1 },
  ...more,
});
const noted = (...turns: AnsweredTurn[]): TurnLedgerStatus => turns.reduce(noteTurn, { steps: [] });

it.each<[string, AnsweredTurn[], AnsweredTurn[]]>([
  ['a turn noted twice', [turn(1, 10), turn(1, 10)], [turn(1, 10)]],
  ['a turn that was taken again', [turn(1, 10), turn(2, 20), turn(2, 25)], [turn(1, 10), turn(2, 25)]],
  ['a turn that others have followed', [turn(1, 10), turn(2, 20), turn(1, 99)], [turn(1, 10), turn(2, 20)]],
])('counts %s once', (_, given, same) => {
  expect(noted(...given)).toEqual(noted(...same));
});

it('adds up the turns before the last by model, step by step', () => {
  const priced = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 2, costMicroUsd: 7 };
  const other = { model: 'other', usage: priced };
  const all = noted(
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
    last: { turn: 5, model: 'm', usage: { inputTokens: 1, outputTokens: 1 } },
    before: [
      { model: 'm', turns: 2, usage: { inputTokens: 30, outputTokens: 2 } },
      {
        model: 'other',
        turns: 2,
        usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, costMicroUsd: 14 },
      },
    ],
  });
});

it('stays small however many turns there are', () => {
  const all = noted(...Array.from({ length: 2000 }, (_, index) => turn(index + 1, 10)));
  expect(JSON.stringify(all).length).toBeLessThan(400);
  expect(all.steps[0]?.before[0]?.turns).toBe(1999);
});
