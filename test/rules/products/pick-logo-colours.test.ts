import { expect, it } from 'vitest';
import { pickLogoColours } from '../../../src/rules/products/pick-logo-colours.ts';

it('picks the same colours for the same seed, and every pair for some seed', () => {
  expect(pickLogoColours(5)).toEqual(pickLogoColours(5));
  const inks = new Set(Array.from({ length: 1_000 }, (_, seed) => pickLogoColours(seed).ink));
  expect(inks.size).toBe(12);
});
