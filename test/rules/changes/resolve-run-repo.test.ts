import { expect, it } from 'vitest';
import type { RunSpec } from '../../../src/rules/changes/kinds.ts';
import { findRunRepo, resolveRunRepo } from '../../../src/rules/changes/resolve-run-repo.ts';

const aRun = (spec: Partial<RunSpec> = {}) => ({
  spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {}, ...spec },
});
const product = (...repos: string[]) => ({ spec: { repos, delivery: { zones: [] } } });

it('is the repo of the target, of the Release, of the start of the run, then the first of the Product', () => {
  const release = { name: 'shop-v1.0.0', version: 'v1.0.0', repo: 'acme/till' };
  const shop = product('acme/shop', 'acme/till');
  expect(resolveRunRepo(aRun({ target: { repo: 'acme/api', number: 1 }, release }), shop)).toBe('acme/api');
  expect(resolveRunRepo(aRun({ release }), shop)).toBe('acme/till');
  expect(resolveRunRepo(aRun({ repo: 'acme/till' }), shop)).toBe('acme/till');
  expect(resolveRunRepo(aRun(), shop)).toBe('acme/shop');
});

it('names the Product without a repo', () => {
  expect(findRunRepo(aRun(), undefined)).toBeUndefined();
  expect(() => resolveRunRepo(aRun(), product())).toThrow('The Product "shop" has no repo.');
});
