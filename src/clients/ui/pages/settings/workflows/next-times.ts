import { Cron } from 'croner';

/** Lists the next times at which any of the cron expressions is due; those that cannot be read are left out. */
export function listNextTimes(crons: readonly string[], timeZone: string, from: Date, count = 5): Date[] {
  const times = crons.flatMap((cron) => {
    try {
      return new Cron(cron, { mode: '5-part', timezone: timeZone || 'UTC', paused: true }).nextRuns(count, from);
    } catch {
      return [];
    }
  });
  const unique = [...new Set(times.map((time) => time.getTime()))];
  return unique
    .toSorted((one, other) => one - other)
    .slice(0, count)
    .map((time) => new Date(time));
}
