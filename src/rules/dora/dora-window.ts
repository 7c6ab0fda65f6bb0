export type TimeSpan = { from: number; to: number };
export type DoraWindow = { current: TimeSpan; previous: TimeSpan; parts: TimeSpan[] };

const dayMs = 24 * 60 * 60_000;
const partsMax = 10;

/** Returns the last days (UTC) through today, as many days before them, and the current days in up to ten parts. */
export function toDoraWindow(now: number, days: number): DoraWindow {
  const to = (Math.floor(now / dayMs) + 1) * dayMs;
  const from = to - days * dayMs;
  const partMs = Math.ceil(days / partsMax) * dayMs;
  const parts = Array.from({ length: Math.ceil((to - from) / partMs) }, (_, index) => ({
    from: from + index * partMs,
    to: Math.min(from + (index + 1) * partMs, to),
  }));
  return { current: { from, to }, previous: { from: from - days * dayMs, to: from }, parts };
}

export const isWithin = ({ from, to }: TimeSpan, at: number): boolean => from <= at && at < to;
