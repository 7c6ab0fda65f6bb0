/**
 * Translates a cron expression to those of a Temporal Schedule. When both the day of the month and the day of the week
 * are restricted, cron requires one of them and Temporal both, so each becomes an expression of its own.
 */
export function toTemporalCrons(cron: string): string[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const isUnrestricted = (field: string): boolean => field.startsWith('*');
  if (isUnrestricted(day) || isUnrestricted(weekday)) return [[minute, hour, day, month, weekday].join(' ')];
  return [[minute, hour, day, month, '*'].join(' '), [minute, hour, '*', month, weekday].join(' ')];
}
