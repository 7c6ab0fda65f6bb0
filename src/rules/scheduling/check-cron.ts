import { Cron } from 'croner';

type Field = { name: string; range: string; names?: string[] };
const fields: Field[] = [
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
const order = fields.map(({ name }) => name).join(', ');

/** Why it is no standard five-field cron string that ever comes due; nothing when it is one. */
export function checkCron(cron: string): string | undefined {
  const given = cron.trim().split(/\s+/);
  if (given.length !== fields.length)
    return `A schedule has five fields: ${order}. This has ${cron.trim() === '' ? 0 : given.length}.`;
  const wrong = fields.findIndex((field, at) => !isField(field, { at, text: given[at] ?? '' }));
  const field = fields[wrong];
  if (field)
    return `The ${field.name} cannot be "${given[wrong]}". It takes ${field.range}, as a value, a list (1,3), a range (1-3), "*" or a step (*/2, 1-5/2).`;
  if (new Cron(given.join(' '), { mode: '5-part', timezone: 'UTC' }).nextRun(aLeapYear)) return undefined;
  return `The day of month "${given[2]}" is in none of the months "${given[3]}", so it never comes due.`;
}

/** Whatever may come due does so within four years. */
const aLeapYear = new Date(Date.UTC(2028, 0));

/** The library takes more than the standard does; of what is standard it knows what is out of range. */
function isField({ names = [] }: Field, { at, text }: { at: number; text: string }): boolean {
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
