import { expect, it } from 'vitest';
import { compareVersions, nextVersion } from '../../../src/rules/releases/next-version.ts';

it.each([
  { taken: [], messages: ['feat: a'], next: 'v0.1.0' },
  { taken: ['v0.1.0'], messages: ['feat: a (#1)'], next: 'v0.2.0' },
  { taken: ['v0.2.0', 'v0.10.0'], messages: ['fix: a'], next: 'v0.10.1' },
  { taken: ['v0.2.0'], messages: ['feat!: a'], next: 'v0.3.0' },
  { taken: ['v1.2.3'], messages: ['feat(api)!: a'], next: 'v2.0.0' },
  { taken: ['v1.2.3'], messages: ['fix: a\n\nBREAKING CHANGE: b'], next: 'v2.0.0' },
  { taken: ['v1.2.3'], messages: ['some change'], next: 'v1.2.4' },
  { taken: ['v1.2.3', 'nightly'], messages: [], next: 'v1.2.4' },
])('returns $next after $taken with $messages', ({ taken, messages, next }) => {
  expect(nextVersion(taken, messages)).toBe(next);
});

it('compares versions by their numbers', () => {
  expect(compareVersions('v0.10.0', 'v0.9.0')).toBeGreaterThan(0);
});
