import { describe, expect, it } from 'vitest';
import { toBars } from '../../../../../src/clients/ui/pages/change/to-bars.ts';

const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const minutes = (bars: ReturnType<typeof toBars>) =>
  bars.map(({ from, to, look }) => [from / 60_000, to / 60_000, look]);
const now = 60 * 60_000;
const round = (trigger: string, firstTurn: number, startedAt: string, more: object = {}) => ({
  step: 'implement',
  trigger,
  firstTurn,
  turns: 2,
  startedAt,
  ...more,
});

describe('toBars', () => {
  it('draws a bar for each round, and the ones that a review sent back apart', () => {
    const step = { name: 'implement', phase: 'Succeeded' as const, startedAt: at(0), finishedAt: at(40), links: [] };
    const rounds = [
      round('start', 1, at(0), { finishedAt: at(10), outcome: 'done' }),
      round('changes-requested', 3, at(20), { finishedAt: at(40), outcome: 'done' }),
    ];
    expect(minutes(toBars(step, rounds, now))).toEqual([
      [0, 10, 'sent'],
      [20, 40, 'done'],
    ]);
    const reviews = [
      round('start', 1, at(10), { finishedAt: at(12), outcome: 'changes-requested' }),
      round('start', 3, at(40), { finishedAt: at(44), outcome: 'approved' }),
    ];
    expect(minutes(toBars({ ...step, finishedAt: at(44) }, reviews, now))).toEqual([
      [10, 12, 'sent'],
      [40, 44, 'done'],
    ]);
  });

  it('lets the bar of a running step grow, and outlines the time that a person is asked', () => {
    const running = { name: 'implement', phase: 'Running' as const, startedAt: at(50), links: [] };
    expect(minutes(toBars(running, [round('start', 1, at(50))], now))).toEqual([[50, 60, 'working']]);
    const asks = {
      ...running,
      phase: 'NeedsGuidance' as const,
      waitingFor: { role: 'member', since: at(55), message: 'Which?' },
    };
    expect(minutes(toBars(asks, [round('start', 1, at(50), { finishedAt: at(55) })], now))).toEqual([
      [50, 55, 'done'],
      [55, 60, 'waiting'],
    ]);
  });

  it('draws one bar without a transcript: for a decision as waiting, for a merge as its state', () => {
    const merge = { name: 'merge', phase: 'Failed' as const, startedAt: at(1), finishedAt: at(2), links: [] };
    expect(minutes(toBars(merge, [], now))).toEqual([[1, 2, 'failed']]);
    const decision = { by: 'ada', role: 'member', outcome: 'approved' as const, at: at(2) };
    expect(minutes(toBars({ ...merge, phase: 'Succeeded', decision }, [], now))).toEqual([[1, 2, 'waiting']]);
    expect(toBars({ name: 'merge', phase: 'Pending', links: [] }, [], now)).toEqual([]);
  });
});
