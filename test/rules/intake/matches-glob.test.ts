import { expect, it } from 'vitest';
import { matchesGlob } from '../../../src/rules/intake/matches-glob.ts';

it.each([
  ['main', 'main', true],
  ['main', 'maintenance', false],
  ['', 'main', false],
  ['*', 'main', true],
  ['*', 'a/b', false],
  ['release/*', 'release/1', true],
  ['release/*', 'release/', true],
  ['release/*', 'release/1/2', false],
  ['release/**', 'release/1/2', true],
  ['**/fix', 'a/b/fix', true],
  ['**/fix', 'a/b/fixes', false],
  ['*-*-x', 'a-b-c-x', true],
  ['a*b**c', 'ab/bc', true],
  ['a*b**c', 'a/bc', false],
  ['!main', 'dev', false],
  ['@(main|dev)', 'dev', false],
  ['v.', 'v1', false],
])('matches the glob "%s" with %s: %s', (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected);
});

const attack = { glob: '*a*a*a*a*b', branch: 'a'.repeat(250) };
const stepsMax = 1_000_000;

/** Tries each length of each star, as a regular expression does, and counts the steps. */
function countBacktrackingSteps(glob: string, text: string): number {
  let steps = 0;
  const matches = (at: number, from: number): boolean => {
    steps += 1;
    if (steps >= stepsMax) return true;
    if (at === glob.length) return from === text.length;
    if (glob[at] !== '*') return glob[at] === text[from] && matches(at + 1, from + 1);
    for (let end = from; end <= text.length; end += 1) if (matches(at + 1, end)) return true;
    return false;
  };
  matches(0, 0);
  return steps;
}

it('reads each character of the text at most once per part of the glob', () => {
  expect(countBacktrackingSteps(attack.glob, attack.branch)).toBe(stepsMax);
  let reads = 0;
  const counted = new Proxy(Object(attack.branch) as object, {
    get(branch, key) {
      if (key !== 'length') reads += 1;
      const value: unknown = Reflect.get(branch, key);
      return typeof value === 'function' ? (value.bind(branch) as unknown) : value;
    },
  }) as unknown as string;
  expect(matchesGlob(attack.glob, counted)).toBe(false);
  expect(reads).toBeLessThan(attack.glob.length * (attack.branch.length + 1));
});
