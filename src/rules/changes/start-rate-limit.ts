/** People rarely start more runs for one issue, while a loop of events would start far more. */
const runsPerTargetPerHourDefault = 20;
const hourMs = 60 * 60_000;

export type RemainingStarts = { remaining: number; limit: number; retryAfterMs: number };

/** Returns how many runs may still start for a target, and when the next one may start if none is left. */
export function remainingStarts(
  startedAt: readonly string[],
  now: Date,
  limit = runsPerTargetPerHourDefault,
): RemainingStarts {
  const ages = startedAt.map((at) => now.getTime() - Date.parse(at)).filter((age) => age < hourMs);
  const remaining = Math.max(0, limit - ages.length);
  // The next start is possible once the oldest of the latest `limit` starts is more than an hour old.
  const blockingAge = ages.toSorted((one, other) => one - other)[limit - 1];
  return { remaining, limit, retryAfterMs: blockingAge === undefined ? 0 : hourMs - blockingAge };
}

export const startLimitMessage = (limit: number): string =>
  `${limit} runs were started for this target within an hour, which is the limit of the org (runsPerTargetPerHour)`;
