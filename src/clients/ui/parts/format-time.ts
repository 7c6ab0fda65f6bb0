const localTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const localDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const localDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

const localSecond = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Formats a moment by the reader's clock alone, with the second where minutes do not tell moments apart. */
export const formatClock = (at: number, withSecond = false): string =>
  (withSecond ? localSecond : localTime).format(new Date(at));

/** Formats a time as the reader's clock shows it; another day is named, and so is another year. */
export function formatTime(at: string): string {
  const [date, now] = [new Date(at), new Date()];
  if (date.toDateString() === now.toDateString()) return localTime.format(date);
  const day = date.getFullYear() === now.getFullYear() ? localDay : localDate;
  return `${day.format(date)}, ${localTime.format(date)}`;
}
