import { Cron } from 'croner';

type CronField = { name: string; range: string; names?: string[] };
const fields: CronField[] = [
  { name: 'minute', range: '0-59' },
  { name: 'hour', range: '0-23' },
  { name: 'day of month', range: '1-31' },
  {
    name: 'month',
    range: '1-12 or JAN-DEC',
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', range: '0-7 or SUN-SAT', names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const fieldOrder = fields.map(({ name }) => name).join(', ');

/** Returns why a text is not a standard cron expression of five fields that matches at least one time. */
export function cronViolation(cron: string): string | undefined {
  const texts = cron.trim().split(/\s+/);
  if (texts.length !== fields.length)
    return `A schedule has five fields: ${fieldOrder}. This one has ${cron.trim() === '' ? 0 : texts.length}.`;
  const invalidAt = fields.findIndex((field, at) => !isField(field, { at, text: texts[at] ?? '' }));
  const field = fields[invalidAt];
  if (field)
    return `The ${field.name} must not be "${texts[invalidAt]}". It accepts ${field.range} as a value, a list (1,3), a range (1-3), "*" or a step (*/2, 1-5/2).`;
  if (new Cron(texts.join(' '), { mode: '5-part', timezone: 'UTC' }).nextRun(leapYearStart)) return undefined;
  return `The day of month "${texts[2]}" does not occur in the months "${texts[3]}", so the schedule never matches.`;
}

/** Four years include a leap day, so a schedule that ever matches does so within them. */
const leapYearStart = new Date(Date.UTC(2028, 0));

/** The library accepts more than standard cron, so a pattern checks the syntax first and the library checks the range. */
function isField({ names = [] }: CronField, { at, text }: { at: number; text: string }): boolean {
  const value = `(?:\\d+${names.map((name) => `|${name}`).join('')})`;
  if (!new RegExp(`^(?:(?:\\*|${value}(?:-${value})?)(?:/\\d+)?(?:,(?!$)|$))+$`, 'i').test(text)) return false;
  try {
    const alone = fields.map((_, index) => (index === at ? text : '*')).join(' ');
    new Cron(alone, { mode: '5-part' }).stop();
    return true;
  } catch {
    return false;
  }
}
