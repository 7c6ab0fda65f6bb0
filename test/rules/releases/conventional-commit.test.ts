import { expect, it } from 'vitest';
import { isBreakingChange, readCommitType } from '../../../src/rules/releases/conventional-commit.ts';

it.each([
  ['feat: a', 'feat', false],
  ['Feat(API): a', 'feat', false],
  ['feat(api)!: a', 'feat', true],
  ['build-deps!: a', 'build-deps', true],
  ['fix: a\n\nBREAKING CHANGE: b', 'fix', true],
  ['fix: a\n\nBREAKING-CHANGE: b', 'fix', true],
  ['fix: a\n\nBREAKING CHANGE #12', 'fix', true],
  ['fix: a\n\nbreaking change: b', 'fix', false],
  ['fix: a\n\nNo BREAKING CHANGE: b', 'fix', false],
  ['Add a page', undefined, false],
  ['feat:a', undefined, false],
  ['a feat: b', undefined, false],
])('reads %j as the type %s, and breaking: %s', (message, type, breaking) => {
  expect([readCommitType(message), isBreakingChange(message)]).toEqual([type, breaking]);
});
