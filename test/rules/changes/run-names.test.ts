import { expect, it } from 'vitest';
import { findTargetPullRequest, runBranch, runName } from '../../../src/rules/changes/run-names.ts';

const start = { agentWorkflow: 'change', product: 'shop', seed: '0198f0e0-aaaa-bbbb-cccc-1234567890ab' };

it('names a run by its AgentWorkflow, Product, target and the end of the seed', () => {
  expect(runName({ ...start, target: { repo: 'acme/shop', number: 7 } })).toBe('change-shop-7-567890ab');
  expect(runName(start)).toBe('change-shop-567890ab');
});

it('gives the same name to the same start', () => {
  expect(runName(start)).toBe(runName({ ...start }));
  expect(runName(start)).not.toBe(runName({ ...start, seed: `${start.seed}c` }));
});

it('finds a pull request only in a target of that kind', () => {
  const target = { repo: 'acme/shop', number: 7 };
  expect(findTargetPullRequest({ ...target, kind: 'pull-request' })).toBe(7);
  expect(findTargetPullRequest({ ...target, kind: 'issue' })).toBeUndefined();
  expect(findTargetPullRequest(target)).toBeUndefined();
  expect(findTargetPullRequest(undefined)).toBeUndefined();
});

it('uses a branch that triggers ignore', () => {
  expect(runBranch('change-shop-7-567890ab')).toBe('service/change-shop-7-567890ab');
});
