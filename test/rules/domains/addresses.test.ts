import { expect, it } from 'vitest';
import { addressViolation, toHostName } from '../../../src/rules/domains/addresses.ts';

const settings = {
  platformDomain: 'apps.test',
  ownHosts: ['delivery.apps.test', 'delivery.acme.com'],
  isShared: false,
};

it('builds the host name of an address', () => {
  expect(toHostName({ domain: 'example.com', name: 'shop' })).toBe('shop.example.com');
  expect(toHostName({ domain: 'example.com', name: '' })).toBe('example.com');
});

it.each([
  { domain: 'example.com', name: '' },
  { domain: 'example.com', name: 'shop' },
  { domain: 'apps.test', name: 'shop' },
])('accepts %j', (address) => {
  expect(addressViolation(address, settings)).toBeUndefined();
});

it.each([
  [{ domain: 'apps.test', name: '' }, /required under the platform domain/],
  [{ domain: 'example.com', name: 'a.b' }, /must be one label/],
  [{ domain: 'example.com', name: '-a' }, /must be one label/],
  [{ domain: `${'a.'.repeat(110)}example.com`, name: 'b'.repeat(63) }, /too long/],
])('rejects %j', (address, detail) => {
  expect(addressViolation(address, settings)).toEqual({ field: 'name', detail: expect.stringMatching(detail) });
});

it.each([
  { domain: 'apps.test', name: 'delivery' },
  { domain: 'acme.com', name: 'delivery' },
  { domain: 'delivery.acme.com', name: '' },
])('rejects %j, which is an address of the installation itself', (address) => {
  expect(addressViolation(address, settings)).toMatchObject({
    detail: expect.stringContaining('the installation itself'),
  });
});

it('rejects names that visitors would take for the installation, only under a domain that orgs share', () => {
  for (const name of ['www', 'api', 'login', 'status', 'mail', 'xn--80ak6aa92e']) {
    expect(addressViolation({ domain: 'apps.test', name }, { ...settings, isShared: true })).toMatchObject({
      detail: expect.stringContaining('is reserved'),
    });
    expect(addressViolation({ domain: 'acme.com', name }, settings)).toBeUndefined();
  }
});
