import { expect, it } from 'vitest';
import { addressReservationLabels, addressReservationName } from '../../../src/rules/domains/address-reservations.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';

it('shares the reservation of a zone under the platform domain', () => {
  expect(addressReservationName({ host: 'shop.apps.test', domainOwner: undefined }, 'apps.test')).toBe(
    zoneReservationName('shop'),
  );
});

it('has one reservation per host and owner of the domain', () => {
  const toName = (host: string, domainOwner: string) => addressReservationName({ host, domainOwner }, 'apps.test');
  expect(toName('shop.example.com', 'acme')).toBe('address-acme.shop.example.com');
  expect(toName('shop.example.com', 'other')).not.toBe(toName('shop.example.com', 'acme'));
  expect(addressReservationName({ host: 'shop.apps.test', domainOwner: 'acme' }, undefined)).toBe(
    'address-acme.shop.apps.test',
  );
});

it('labels reservations with at most 63 characters of the domain', () => {
  const [label = ''] = Object.values(addressReservationLabels(`${'a'.repeat(30)}.${'b'.repeat(40)}.example.com`));
  expect(label.length).toBeLessThanOrEqual(63);
  expect(label).toMatch(/^[a-z0-9].*example\.com$/);
});
