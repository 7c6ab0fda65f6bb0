import { expect, it } from 'vitest';
import { SortedNames } from '../../../src/store/kubernetes/sorted-names.ts';

it('keeps names sorted and unique', () => {
  const names = new SortedNames();
  for (const name of ['b', 'd', 'a', 'c', 'b']) names.add(name);
  names.delete('c');
  names.delete('x');
  expect([...names.after()]).toEqual(['a', 'b', 'd']);
  expect(names.size).toBe(3);
});

it.each([
  ['a', ['b', 'd']],
  ['c', ['d']],
  ['d', []],
])('yields the names after %j', (name, expected) => {
  const names = new SortedNames();
  for (const each of ['a', 'b', 'd']) names.add(each);
  expect([...names.after(name)]).toEqual(expected);
});
