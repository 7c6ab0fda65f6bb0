import { expect, it } from 'vitest';
import { logoKey, logoPath, logosPrefix, logoTypes, suggestionKey } from '../../../src/rules/products/logo.ts';

it('has one path per type', () => {
  expect(logoPath('image/jpeg')).toBe('logo.jpg');
  expect(new Set(logoTypes.map(logoPath)).size).toBe(logoTypes.length);
});

it('keeps all blobs of a Product under its prefix', () => {
  const prefix = logosPrefix('acme', 'shop');
  expect(logoKey({ org: 'acme', product: 'shop', hash: 'h' })).toBe(`${prefix}h`);
  expect(suggestionKey({ org: 'acme', product: 'shop', round: 'r', direction: 'line' })).toBe(
    `${prefix}suggestions/r/line`,
  );
});
