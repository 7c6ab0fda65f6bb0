/** A local time, encoded as if it were UTC: `Date.UTC(2026, 2, 8, 2, 30)` is half past two in the time zone. */
export type LocalTimeMs = number;

/** Every offset from UTC is less than a day. */
const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

export function toLocalTime(timeZone: string, at: number): LocalTimeMs {
  const parts = Object.fromEntries(
    getFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns the first instant of a local time. A local time that the clock skips becomes the end of the gap. */
export function toInstant(timeZone: string, local: LocalTimeMs): number {
  const offsetAt = (at: number): number => toLocalTime(timeZone, at) - at;
  const [earliest, latest] = [local - dayMs, local + dayMs];
  const candidates = [offsetAt(earliest), offsetAt(latest)].map((offset) => local - offset);
  const matches = candidates.filter((at) => toLocalTime(timeZone, at) === local);
  if (matches.length > 0) return Math.min(...matches);
  // The local time is in a gap, which ends when the offset changes.
  let [before, after] = [earliest, latest];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle) === offsetAt(earliest)) before = middle;
    else after = middle;
  }
  return after;
}

/** The runtime ignores letter case and knows abbreviations; other programs know only the name that this returns. */
export const toCanonicalTimeZone = (timeZone: string): string => getFormat(timeZone).resolvedOptions().timeZone;

/** Returns whether a name is in the IANA time zone database; an offset such as `+05:30` is not. */
export function isTimeZone(name: string): boolean {
  try {
    // The runtime still has zones that the database has dropped.
    return /^(?!SystemV\/)[A-Z]/i.test(name) && Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }));
  } catch {
    return false;
  }
}

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
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
  formats.set(timeZone, format);
  return format;
}
