import { expect, it } from 'vitest';
import { isClaimElsewhere } from '../../../src/rules/access/is-claim-elsewhere.ts';

it.each([
  ['a claim that is named', { _claim_names: { groups: 'src1' } }, true],
  ['a claim that has a value, too', { groups: ['dev'], _claim_names: { groups: 'src1' } }, false],
  ['another claim', { _claim_names: { roles: 'src1' } }, false],
  ['no names', {}, false],
  ['names that are none', { _claim_names: 'groups' }, false],
  ['null', { _claim_names: null }, false],
])('recognizes %s', (_, claims, expected) => {
  expect(isClaimElsewhere(claims, 'groups')).toBe(expected);
});
