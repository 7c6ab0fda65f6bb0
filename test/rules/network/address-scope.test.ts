import { expect, it } from 'vitest';
import { addressScope } from '../../../src/rules/network/address-scope.ts';

it.each([
  ['93.184.216.34', 'public'],
  ['2606:2800:220:1:248:1893:25c8:1946', 'public'],
  ['127.0.0.1', 'internal'],
  ['10.0.0.1', 'internal'],
  ['::1', 'internal'],
  ['fd00::1', 'internal'],
  ['100.64.0.9', 'internal'],
  ['::ffff:127.0.0.1', 'internal'],
  ['203.0.113.80', 'reserved'],
  ['169.254.169.254', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['fd00:ec2::23', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['fd20:ce::254', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['64:ff9b::7f00:1', 'forbidden'],
  ['2002:7f00:1::', 'forbidden'],
  ['0.0.0.0', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['not-an-address', 'forbidden'],
])('%s is %s', (address, scope) => {
  expect(addressScope(address)).toBe(scope);
});
