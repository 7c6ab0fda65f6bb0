import { expect, it } from 'vitest';
import type { TriggerSpec } from '../../../src/rules/agents/kinds.ts';
import { isScheduled, listCrons } from '../../../src/rules/scheduling/list-crons.ts';

const opened: TriggerSpec = { type: 'event', event: 'issue.opened' };
const cron = (schedule: string): TriggerSpec => ({ type: 'cron', schedule });

it.each<[TriggerSpec[], string[]]>([
  [[], []],
  [[opened], []],
  [
    [cron('0 9 * * *'), opened, cron('0 17 * * 5')],
    ['0 9 * * *', '0 17 * * 5'],
  ],
])('lists the cron expressions of %j', (triggers, expected) => {
  expect(listCrons({ triggers })).toEqual(expected);
  expect(isScheduled({ triggers })).toBe(expected.length > 0);
});
