import { expect, it } from 'vitest';
import { phaseAttribute, searchAttributes } from '../../workflows/search-attributes.ts';

const show = (values: Parameters<typeof searchAttributes>[0]) =>
  searchAttributes(values).map(({ key, value }) => [key.name, value]);

it('has only the attributes that are known', () => {
  expect(show({ org: 'acme', product: 'shop', targetKind: 'zone' })).toEqual([
    ['org', 'acme'],
    ['targetKind', 'zone'],
    ['product', 'shop'],
  ]);
  expect(show({ targetKind: 'dns-sweep' })).toEqual([['targetKind', 'dns-sweep']]);
  expect(phaseAttribute('Running')).toMatchObject({ key: { name: 'phase' }, value: 'Running' });
});
