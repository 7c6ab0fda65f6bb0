import { expect, it } from 'vitest';
import type { Product } from '../../../src/rules/products/kinds.ts';
import { missingRepoViolation } from '../../../src/rules/products/missing-repo-violation.ts';
import type { ProductScaffold } from '../../../src/rules/products/source.ts';

const build = (scaffold?: Partial<ProductScaffold>, repos = ['acme/fresh']): Product =>
  ({
    spec: { source: { repo: 'acme/fresh' }, repos },
    status: scaffold && { scaffold },
  }) as unknown as Product;

it('allows work once the repo has its first commit, and on a repo that the service did not create', () => {
  expect(missingRepoViolation({ spec: { repos: ['acme/shop'] } } as Product)).toBeUndefined();
  expect(missingRepoViolation(build({ phase: 'StartingRelease', commit: 'abc' }))).toBeUndefined();
  expect(missingRepoViolation(build({ phase: 'Failed', commit: 'abc' }))).toBeUndefined();
  expect(missingRepoViolation(build({ phase: 'CreatingRepo' }, ['acme/fresh', 'acme/docs']))).toBeUndefined();
});

it('says that the repo is being created, or that its creation failed', () => {
  expect(missingRepoViolation(build())).toContain('acme/fresh is being created');
  expect(missingRepoViolation(build({ phase: 'Committing' }))).toContain('acme/fresh is being created');
  expect(missingRepoViolation(build({ phase: 'Failed' }))).toContain('Retry its creation');
});
