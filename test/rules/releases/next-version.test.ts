import { expect, it } from 'vitest';
import { compareVersions, isVersion, nextVersion } from '../../../src/rules/releases/next-version.ts';

it.each([
  { taken: [], messages: ['feat: a'], next: 'v0.1.0' },
  { taken: ['v0.1.0'], messages: ['feat: a (#1)'], next: 'v0.2.0' },
  { taken: ['v0.1.0'], messages: ['Feat: a'], next: 'v0.2.0' },
  { taken: ['v0.2.0', 'v0.10.0'], messages: ['fix: a'], next: 'v0.10.1' },
  { taken: ['v0.2.0'], messages: ['feat!: a'], next: 'v0.3.0' },
  { taken: ['v1.2.3'], messages: ['feat(api)!: a'], next: 'v2.0.0' },
  { taken: ['v1.2.3'], messages: ['fix: a\n\nBREAKING CHANGE: b'], next: 'v2.0.0' },
  { taken: ['v1.2.3'], messages: ['some change'], next: 'v1.2.4' },
  { taken: ['v1.2.3', 'nightly'], messages: [], next: 'v1.2.4' },
  { taken: ['v1.2.3', 'v99999999999999999999.0.0'], messages: ['fix: a'], next: 'v1.2.4' },
  { taken: ['v1.2.3', 'v999999999999999.0.0'], messages: ['feat!: a'], next: 'v2.0.0' },
  { taken: ['v99999999999999999999.0.0'], messages: [], next: 'v0.1.0' },
])('returns $next after $taken with $messages', ({ taken, messages, next }) => {
  expect(nextVersion(taken, messages)).toBe(next);
});

it('compares versions by their numbers', () => {
  expect(compareVersions('v0.10.0', 'v0.9.0')).toBeGreaterThan(0);
});

it('takes a text that is no version as older, so that no comparison fails', () => {
  const huge = 'v99999999999999999999.0.0';
  expect([huge, 'v0.2.0', 'nightly', 'v0.1.0'].toSorted(compareVersions).slice(2)).toEqual(['v0.1.0', 'v0.2.0']);
  expect([compareVersions(huge, 'v0.1.0'), compareVersions('v0.1.0', huge), compareVersions(huge, huge)]).toEqual([
    -1, 1, 0,
  ]);
});

it.each([
  ['v1.2.3', true],
  ['v999999999999999.0.0', true],
  ['v99999999999999999999.0.0', false],
  ['v01.2.3', false],
  ['1.2.3', false],
  ['v1.2.3-rc.1', false],
])('reports whether %s is a version: %s', (text, expected) => {
  expect(isVersion(text)).toBe(expected);
});
