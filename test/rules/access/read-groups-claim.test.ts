import { expect, it } from 'vitest';
import { readGroupsClaim } from '../../../src/rules/access/read-groups-claim.ts';

it.each([
  ['no claim', undefined, []],
  ['null', null, []],
  ['a list, without repetitions and empty names', ['b', 'a', 'b', ''], ['b', 'a']],
  ['a text', 'admins', undefined],
  ['a map', { admins: true }, undefined],
  ['a list with a number', ['a', 1], undefined],
  ['a name that is too long', ['a'.repeat(257)], undefined],
  ['too many groups', Array.from({ length: 1001 }, (_, index) => `group-${index}`), undefined],
])('reads %s', (_, claim, groups) => {
  expect(readGroupsClaim(claim)).toEqual(groups);
});
