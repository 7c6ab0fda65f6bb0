/** What a zone's clock shows, as if it were UTC: `Date.UTC(2026, 2, 8, 2, 30)` is half past two there. */
export type WallMs = number;

/** The widest a clock is from UTC, with room. */
const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

export function wallOf(timeZone: string, at: number): WallMs {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** When a clock first shows a time; one that it skips counts as shown at the end of the gap. */
export function firstShown(timeZone: string, wall: WallMs): number {
  const offsetAt = (at: number): number => wallOf(timeZone, at) - at;
  const [earliest, latest] = [wall - dayMs, wall + dayMs];
  const candidates = [offsetAt(earliest), offsetAt(latest)].map((offset) => wall - offset);
  const shown = candidates.filter((at) => wallOf(timeZone, at) === wall);
  if (shown.length > 0) return Math.min(...shown);
  // In a gap: it ends where the offset changes.
  let [before, after] = [earliest, latest];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle) === offsetAt(earliest)) before = middle;
    else after = middle;
  }
  return after;
}

/** Whether it names a zone of the IANA data base; an offset such as `+05:30` is none. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }));
  } catch {
    return false;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
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
  formats.set(timeZone, made);
  return made;
}
