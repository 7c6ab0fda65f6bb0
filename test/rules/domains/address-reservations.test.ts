import { expect, it } from 'vitest';
import { addressReservationLabels, addressReservationName } from '../../../src/rules/domains/address-reservations.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';

it('shares the reservation of a zone under the platform domain', () => {
  expect(addressReservationName('shop.apps.test', 'apps.test')).toBe(zoneReservationName('shop'));
  expect(addressReservationName('shop.example.com', 'apps.test')).toBe('address-shop.example.com');
  expect(addressReservationName('shop.apps.test', undefined)).toBe('address-shop.apps.test');
});

it('labels reservations with at most 63 characters of the domain', () => {
  const [label = ''] = Object.values(addressReservationLabels(`${'a'.repeat(30)}.${'b'.repeat(40)}.example.com`));
  expect(label.length).toBeLessThanOrEqual(63);
  expect(label).toMatch(/^[a-z0-9].*example\.com$/);
});
