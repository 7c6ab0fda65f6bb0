/**
 * Translates a cron expression to those of a Temporal Schedule. When both the day of the month and the day of the week
 * are restricted, cron requires one of them and Temporal both, so each becomes an expression of its own.
 */
export function toTemporalCrons(cron: string): string[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  // Temporal reads SUN as 0 only, which cannot end a range.
  const days = weekday.replaceAll(/-sun/gi, '-7');
  if (day === '*' || days === '*') return [[minute, hour, day, month, days].join(' ')];
  return [[minute, hour, day, month, '*'].join(' '), [minute, hour, '*', month, days].join(' ')];
}
