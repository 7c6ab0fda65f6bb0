import { expect, it } from 'vitest';
import { canonicalAddress } from '../../../src/rules/network/canonical-address.ts';

it.each([
  ['2001:DB8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
  ['2001:db8::1:0:0:0', '2001:db8:0:0:1::'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['64:ff9b::c000:201', '64:ff9b::c000:201'],
  ['no address', 'no address'],
])('writes %s as %s', (address, expected) => {
  expect(canonicalAddress(address)).toBe(expected);
});
