import { expect, it } from 'vitest';
import {
  findSigningKey,
  isNextKeyDue,
  keyLifetimeMs,
  listCurrentKeys,
  publishAheadMs,
} from '../../../src/rules/cloud-accounts/identity-keys.ts';

const start = Date.parse('2026-11-25T09:00:00Z');
const minuteMs = 60_000;
const at = (ms: number): Date => new Date(start + ms);
const key = (id: string, ms: number) => ({ id, privateKey: 'pem', createdAt: at(ms).toISOString() });
const first = key('first', 0);
const next = key('next', keyLifetimeMs);
const switchMs = keyLifetimeMs + publishAheadMs;

it.each([
  ['no key', [], 0, undefined, [], true],
  ['the only key signs at once', [first], 0, 'first', ['first'], false],
  ['the only key is not old yet', [first], keyLifetimeMs - 1, 'first', ['first'], false],
  ['the only key is old', [first], keyLifetimeMs, 'first', ['first'], true],
  ['the next key is published', [first, next], keyLifetimeMs, 'first', ['first', 'next'], false],
  ['the next key waits', [first, next], switchMs - 1, 'first', ['first', 'next'], false],
  ['the next key signs', [next, first], switchMs, 'next', ['first', 'next'], false],
  ['tokens of the former key may live', [first, next], switchMs + 59 * minuteMs, 'next', ['first', 'next'], false],
  ['tokens of the former key have ended', [first, next], switchMs + 60 * minuteMs, 'next', ['next'], false],
  ['the clock was set back', [first, next], -publishAheadMs, 'first', ['first', 'next'], false],
] as const)('%s', (_, keys, ms, signing, current, isDue) => {
  expect(findSigningKey(keys, at(ms))?.id).toBe(signing);
  expect(listCurrentKeys(keys, at(ms)).map(({ id }) => id)).toEqual(current);
  expect(isNextKeyDue(keys, at(ms))).toBe(isDue);
});
