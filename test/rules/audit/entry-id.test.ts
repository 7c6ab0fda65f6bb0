import { expect, it } from 'vitest';
import { createEntryId, toEntryTime } from '../../../src/rules/audit/entry-id.ts';

it('createEntryId sorts by time, and fits into the name of an object', () => {
  const at = (text: string): string => createEntryId(new Date(text), 'ffffffff');
  expect(at('2026-11-25T12:00:00.001Z')).toBe('20261125t120000001z-ffffffff');
  expect(at('2026-11-25T12:00:00.001Z') < createEntryId(new Date('2026-11-25T12:00:00.002Z'), '00000000')).toBe(true);
});

it('toEntryTime is between the entries before a time and those at it', () => {
  const time = toEntryTime(new Date('2026-11-25T12:00:00.001Z'));
  expect(createEntryId(new Date('2026-11-25T12:00:00.000Z'), 'ffffffff') < time).toBe(true);
  expect(time < createEntryId(new Date('2026-11-25T12:00:00.001Z'), '00000000')).toBe(true);
});
