import { expect, it } from 'vitest';
import { addressViolation, toHostName } from '../../../src/rules/domains/addresses.ts';

it('builds the host name of an address', () => {
  expect(toHostName({ domain: 'example.com', name: 'shop' })).toBe('shop.example.com');
  expect(toHostName({ domain: 'example.com', name: '' })).toBe('example.com');
});

it.each([
  { domain: 'example.com', name: '' },
  { domain: 'example.com', name: 'shop' },
  { domain: 'apps.test', name: 'shop' },
])('accepts %j', (address) => {
  expect(addressViolation(address, 'apps.test')).toBeUndefined();
});

it.each([
  [{ domain: 'apps.test', name: '' }, /required under the platform domain/],
  [{ domain: 'example.com', name: 'a.b' }, /must be one label/],
  [{ domain: 'example.com', name: '-a' }, /must be one label/],
  [{ domain: `${'a.'.repeat(110)}example.com`, name: 'b'.repeat(63) }, /too long/],
])('rejects %j', (address, detail) => {
  expect(addressViolation(address, 'apps.test')).toEqual({ field: 'name', detail: expect.stringMatching(detail) });
});
