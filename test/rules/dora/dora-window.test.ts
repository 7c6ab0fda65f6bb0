import { expect, it } from 'vitest';
import { isWithin, toDoraWindow } from '../../../src/rules/dora/dora-window.ts';

const toDates = ({ from, to }: { from: number; to: number }) => [from, to].map((time) => new Date(time).toISOString());

it.each(['2026-11-24T00:00:00Z', '2026-11-24T23:59:59.999Z'])('at %s covers whole days (UTC) through today', (now) => {
  const { current, previous, parts } = toDoraWindow(Date.parse(now), 30);
  expect(toDates(current)).toEqual(['2026-10-26T00:00:00.000Z', '2026-11-25T00:00:00.000Z']);
  expect(toDates(previous)).toEqual(['2026-09-26T00:00:00.000Z', '2026-10-26T00:00:00.000Z']);
  expect(parts).toHaveLength(10);
});

it.each([
  [1, 1],
  [7, 7],
  [11, 6],
  [365, 10],
])('splits %d days into %d parts without a gap', (days, count) => {
  const { current, parts } = toDoraWindow(Date.parse('2026-11-24T12:00:00Z'), days);
  expect(parts).toHaveLength(count);
  expect(parts[0]?.from).toBe(current.from);
  expect(parts.at(-1)?.to).toBe(current.to);
  expect(parts.slice(1).map(({ from }) => from)).toEqual(parts.slice(0, -1).map(({ to }) => to));
});

it('contains its beginning and not its end', () => {
  const span = { from: 1, to: 3 };
  expect([0, 1, 2, 3].map((at) => isWithin(span, at))).toEqual([false, true, true, false]);
});
