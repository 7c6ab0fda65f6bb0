import { expect, it } from 'vitest';
import { rankEntries } from '../../../src/rules/find/rank-entries.ts';

const commit = '4f9c2ab1d0e5b6a7c8d9e0f1a2b3c4d5e6f70819';
const entries = [
  { keys: ['shop'], text: 'shop sells ferry tickets', order: '9' },
  { keys: ['shop-prod', 'shop-prod.example.net'], text: 'shop-prod', order: '8' },
  {
    keys: ['change-shop-418', '#418', '418', 'acme/shop#418', commit, 'http://code.test/acme/shop/issues/418'],
    text: 'hold the fare for ten minutes shop #418',
    order: '7',
  },
  { keys: ['change-shop-99', '/acme/changes/change-shop-99'], text: 'ticket reshopping', order: '6' },
];
const find = (query: string): string[] => rankEntries(entries, query, 10).map(({ keys }) => keys[0] ?? '');

it.each([
  ['shop', ['shop', 'shop-prod', 'change-shop-418', 'change-shop-99']],
  ['SHOP fare', ['change-shop-418']],
  ['#418', ['change-shop-418']],
  ['418 shop', ['change-shop-418']],
  ['acme/shop#418', ['change-shop-418']],
  ['4f9c2ab', ['change-shop-418']],
  ['4f', []],
  ['shop-prod.example.net', ['shop-prod']],
  ['https://shop-prod.example.net:8443/cart?x=1', ['shop-prod']],
  ['http://code.test/acme/shop/issues/418/', ['change-shop-418']],
  ['http://ui.test/acme/changes/change-shop-99#step', ['change-shop-99']],
  ['shop nothing', []],
  ['  ', []],
])('finds by "%s"', (query, names) => {
  expect(find(query)).toEqual(names);
});

it('returns the newest of equal matches, and no more than the limit', () => {
  const equal = ['1', '3', '2'].map((order) => ({ keys: [], text: 'same', order }));
  expect(rankEntries(equal, 'same', 2).map(({ order }) => order)).toEqual(['3', '2']);
});

it('counts a word that is repeated once', () => {
  const named = { keys: ['cart'], text: 'cart, xport', order: '1' };
  const begun = { keys: ['carts', 'ports'], text: '', order: '2' };
  expect(rankEntries([named, begun], 'CART cart cart port', 2)).toEqual([begun, named]);
});

it('compares the first 12 different words', () => {
  const words = Array.from({ length: 12 }, (_, index) => `word-${index}`).join(' ');
  const entry = { keys: [], text: words, order: '1' };
  expect(rankEntries([entry], `${words} ${words} nothing`, 1)).toEqual([entry]);
  expect(rankEntries([entry], `nothing ${words}`, 1)).toEqual([]);
});
