/** Enough for people at work on an issue, and far from what a loop of events would start. */
const runsPerTargetAndHourDefault = 20;
const hourMs = 60 * 60_000;

export type StartsLeft = { left: number; limit: number; nextInMs: number };

/** How many runs may still start for a target, and when the next may once there is none left. */
export function startsLeft(startedAt: readonly string[], now: Date, limit = runsPerTargetAndHourDefault): StartsLeft {
  const ages = startedAt.map((at) => now.getTime() - Date.parse(at)).filter((age) => age < hourMs);
  const left = Math.max(0, limit - ages.length);
  // Of the youngest `limit` starts the eldest has to leave the hour.
  const waitsFor = ages.toSorted((one, other) => one - other)[limit - 1];
  return { left, limit, nextInMs: left > 0 || waitsFor === undefined ? 0 : hourMs - waitsFor };
}

export const noStartsLeft = (limit: number): string =>
  `${limit} runs were started for it within an hour, as many as the org allows (runsPerTargetAndHour)`;
