import { Cron } from 'croner';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Lists the next times at which any of the cron expressions is due, as the service starts them; those that cannot be
 * read are left out. Each local time is due once: when the clock goes back, only its first occurrence, and when the
 * clock skips it, the end of the gap.
 */
export function listNextTimes(crons: readonly string[], timeZone: string, from: Date, count = 5): Date[] {
  const times = crons.flatMap((cron) => {
    try {
      const clock = createClock(timeZone || 'UTC');
      // The library reads local times as UTC, where no clock changes.
      const utcCron = new Cron(cron, { mode: '5-part', timezone: 'UTC', paused: true });
      const due = new Set<number>();
      let local = utcCron.nextRun(new Date(clock.toLocal(from.getTime())));
      for (; local && due.size < count; local = utcCron.nextRun(local)) {
        const at = clock.toInstant(local.getTime());
        if (at > from.getTime()) due.add(at);
      }
      return [...due];
    } catch {
      return [];
    }
  });
  return [...new Set(times)]
    .toSorted((one, other) => one - other)
    .slice(0, count)
    .map((time) => new Date(time));
}

/** Converts between instants and local times, which are encoded as if they were UTC. */
function createClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const toLocal = (at: number): number => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const toInstant = (local: number): number => {
    const [before, after] = [local - dayMs, local + dayMs].map((at) => toLocal(at) - at) as [number, number];
    const [first] = [local - before, local - after].filter((at) => toLocal(at) === local).toSorted((a, b) => a - b);
    if (first !== undefined) return first;
    let at = local - after;
    while (toLocal(at) - at !== after) at += minuteMs;
    return at;
  };
  return { toLocal, toInstant };
}
