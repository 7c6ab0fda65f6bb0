import { Cron } from 'croner';
import { firstShown, wallOf } from './zone-clock.ts';

/** What comes due together: several cron strings, read in one zone. */
export type Schedule = { crons: string[]; timeZone: string };

const secondMs = 1000;

/**
 * The next time after `after` at which the schedule comes due. Every time that the strings name is due once: at its
 * first showing where the clock is put back, at the end of the gap where it is put forward.
 */
export function nextDue({ crons, timeZone }: Schedule, after: Date): Date | undefined {
  const times = crons.map((cron) => {
    const cronOf = wallCron(cron);
    // The library knows every calendar, and not every clock: it reads the zone's clock as UTC, which has no changes.
    for (let wall = cronOf.nextRun(new Date(wallOf(timeZone, after.getTime()))); wall; wall = cronOf.nextRun(wall)) {
      const at = firstShown(timeZone, wall.getTime());
      // While the clock shows a time again, what it names has been due already.
      if (at > after.getTime()) return at;
    }
    return undefined;
  });
  return pick(times, Math.min);
}

/** The last time, up to and with `until`, at which the schedule came due. */
export function lastDue({ crons, timeZone }: Schedule, until: Date): Date | undefined {
  const shows = wallOf(timeZone, until.getTime());
  // While the clock shows a time again, it has shown later ones already.
  const shownTo = shows + Math.max(0, Math.floor(until.getTime() / secondMs) * secondMs - firstShown(timeZone, shows));
  const times = crons.map((cron) => {
    const cronOf = wallCron(cron);
    const before = (wall: number): Date | undefined => cronOf.previousRuns(1, new Date(wall))[0];
    for (let wall = before(shownTo + secondMs); wall; wall = before(wall.getTime())) {
      const at = firstShown(timeZone, wall.getTime());
      if (at <= until.getTime()) return at;
    }
    return undefined;
  });
  return pick(times, Math.max);
}

const wallCron = (cron: string): Cron => new Cron(cron, { mode: '5-part', timezone: 'UTC' });

function pick(times: (number | undefined)[], choose: (...times: number[]) => number): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(choose(...known));
}
