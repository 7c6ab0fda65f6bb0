import { expect, it } from 'vitest';
import { productReservationName, zoneReservationName } from '../../../src/rules/products/reservations.ts';

it('reserves Products and zones of the same name separately', () => {
  expect(productReservationName('shop')).toBe('product-shop');
  expect(zoneReservationName('shop')).toBe('zone-shop');
});
