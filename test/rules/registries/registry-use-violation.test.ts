import { expect, it } from 'vitest';
import { registryUseViolation } from '../../../src/rules/registries/registry-use-violation.ts';

const registry = { name: 'images', host: 'registry.test', repositoryPrefix: 'acme' };
const build = (...products: string[]) =>
  products.map((product) => ({ product, repository: `registry.test/acme/${product}` }));
const readNames = (violation: string | undefined): string | undefined => /\((.*)\)/.exec(violation ?? '')?.[1];

it.each([
  ['no Product', [], undefined],
  ['images elsewhere', [{ product: 'shop', repository: 'registry.test/other/shop' }], undefined],
  ['a Product', build('shop'), 'shop'],
  ['many Products', build('a', 'b', 'c', 'd', 'e'), 'a, b, c and 2 more'],
])('%s: %s', (_, products, expected) => {
  expect(readNames(registryUseViolation(registry, products))).toBe(expected);
});

it('names only the Products whose images would be outside of the next settings', () => {
  const next = { ...registry, repositoryPrefix: 'acme/a' };
  expect(readNames(registryUseViolation(registry, build('a', 'b'), next))).toBe('b');
  expect(registryUseViolation(registry, build('a', 'b'), { host: 'registry.test:443' })).toBeUndefined();
});
