import { expect, it } from 'vitest';
import { type BranchFacts, branchViolation } from '../../../src/rules/changes/branch-violation.ts';

const free: BranchFacts = { isDefault: false, isProtected: false, pullRequestsInto: [] };

it.each([
  ['nothing', {}, undefined],
  ['the default branch', { isDefault: true }, '"dev" is the default branch.'],
  ['a protected branch', { isProtected: true }, '"dev" is a protected branch.'],
  ['the base of a pull request', { pullRequestsInto: [9, 12] }, '"dev" is the base of pull request #9.'],
] as const)('returns why an agent may not commit to a branch that is %s', (_, facts, violation) => {
  expect(branchViolation('dev', { ...free, ...facts } as BranchFacts)).toBe(violation);
});
