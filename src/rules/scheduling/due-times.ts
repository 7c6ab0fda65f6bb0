import { Cron } from 'croner';
import { toInstant, toLocalTime } from './time-zone.ts';

/** Cron expressions that are evaluated together in one time zone. */
export type Schedule = { crons: string[]; timeZone: string };

const secondMs = 1000;

/**
 * Returns the next due time after `after`. Each local time is due once: at its first occurrence when the clock goes back,
 * and at the end of the gap when the clock goes forward.
 */
export function findNextDueTime({ crons, timeZone }: Schedule, after: Date): Date | undefined {
  const times = crons.map((cron) => {
    const utcCron = toUtcCron(cron);
    // The library evaluates local times as UTC, which has no clock changes; toInstant handles those of the time zone.
    for (
      let local = utcCron.nextRun(new Date(toLocalTime(timeZone, after.getTime())));
      local;
      local = utcCron.nextRun(local)
    ) {
      const at = toInstant(timeZone, local.getTime());
      // A local time that occurs twice was already due at its first occurrence.
      if (at > after.getTime()) return at;
    }
    return undefined;
  });
  return pickTime(times, Math.min);
}

/** Returns the last due time up to and including `until`. */
export function findLastDueTime({ crons, timeZone }: Schedule, until: Date): Date | undefined {
  const localNow = toLocalTime(timeZone, until.getTime());
  // During a repeated hour, later local times have already occurred once.
  const latestLocal =
    localNow + Math.max(0, Math.floor(until.getTime() / secondMs) * secondMs - toInstant(timeZone, localNow));
  const times = crons.map((cron) => {
    const utcCron = toUtcCron(cron);
    const findPrevious = (at: number): Date | undefined => utcCron.previousRuns(1, new Date(at))[0];
    for (let local = findPrevious(latestLocal + secondMs); local; local = findPrevious(local.getTime())) {
      const at = toInstant(timeZone, local.getTime());
      if (at <= until.getTime()) return at;
    }
    return undefined;
  });
  return pickTime(times, Math.max);
}

const toUtcCron = (cron: string): Cron => new Cron(cron, { mode: '5-part', timezone: 'UTC' });

function pickTime(times: (number | undefined)[], choose: (...times: number[]) => number): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(choose(...known));
}
