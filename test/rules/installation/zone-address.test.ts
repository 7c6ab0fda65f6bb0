import { expect, it } from 'vitest';
import { toZoneAddress } from '../../../src/rules/installation/zone-address.ts';

const pattern = (text: string) => (zone: string) => text.replace('{zone}', zone);

it.each([
  ['http://{zone}.localhost:8081', 'apps.example.com', 'http://shop.apps.example.com:8081'],
  ['https://{zone}.example.com', 'apps.example.com', 'https://shop.apps.example.com'],
  ['https://{zone}-apps.example.com', 'apps.example.com', 'https://shop.apps.example.com'],
  ['https://{zone}-apps.example.com', undefined, 'https://shop-apps.example.com'],
  ['http://{zone}.localhost:8081/', 'localhost', 'http://shop.localhost:8081/'],
])('from %s under %s: %s', (first, domain, address) => {
  expect(toZoneAddress(pattern(first), domain)('shop')).toBe(address);
});

it('keeps a placeholder for charts', () => {
  expect(toZoneAddress(pattern('https://{zone}.example.com'), 'a.example.com')('{zone}')).toBe(
    'https://{zone}.a.example.com',
  );
});
