import { expect, it } from 'vitest';
import { isCloudflareAddress } from '../../../src/integrations/dns/is-cloudflare-address.ts';

it.each([
  ['104.16.0.1', true],
  ['104.15.255.255', false],
  ['131.0.75.255', true],
  ['131.0.76.0', false],
  ['2606:4700::1', true],
  ['2606:4701::1', false],
  ['::ffff:104.16.0.1', true],
  ['not an address', false],
])('knows whether %s is an address of the proxy', (address, expected) => {
  expect(isCloudflareAddress(address)).toBe(expected);
});
