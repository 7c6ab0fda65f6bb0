import { expect, it } from 'vitest';
import { displayAddress } from '../../../src/rules/network/display-address.ts';

it('shows public addresses and those that the operator lists, and hides all others', () => {
  const allowed = [{ range: '10.1.0.0/16' }, { host: '10.2.0.1', port: undefined }];
  const shown = (...addresses: string[]) => addresses.map((address) => displayAddress(allowed, address));
  expect(shown('93.184.216.34', '10.1.2.3', '10.2.0.1')).toEqual(['93.184.216.34', '10.1.2.3', '10.2.0.1']);
  // A reserved address belongs to no network of the installation.
  expect(shown('192.0.2.1', '240.0.0.1')).toEqual(['192.0.2.1', '240.0.0.1']);
  const inside = ['10.0.0.1', '127.0.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1', '169.254.169.254', '100.64.0.1'];
  expect(new Set(shown(...inside))).toEqual(new Set(['a private address']));
});
