import { expect, it } from 'vitest';
import { createTextOutliner } from '../../../src/integrations/images/create-text-outliner.ts';

const outline = await createTextOutliner();

it('returns the outline of a text with the box that it fills', () => {
  const { d, x, y, width, height } = outline('H', 'sans');
  const numbers = [...d.matchAll(/[ML](-?[\d.]+)[ ,]?(-?[\d.]+)/g)].map(([, left, top]) => [Number(left), Number(top)]);
  const [lefts, tops] = [numbers.map(([left = 0]) => left), numbers.map(([, top = 0]) => top)];
  expect(x).toBeCloseTo(Math.min(...lefts), 0);
  expect(y).toBeCloseTo(Math.min(...tops), 0);
  expect(width).toBeCloseTo(Math.max(...lefts) - Math.min(...lefts), 0);
  expect(height).toBeCloseTo(Math.max(...tops) - Math.min(...tops), 0);
});

it('begins at the origin and stands on its line, with one decimal', () => {
  const { d, x, y, height } = outline('H', 'heavy');
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x).toBeLessThan(20);
  expect(y + height).toBeCloseTo(0, 0);
  expect(height).toBeGreaterThan(50);
  expect(d).not.toMatch(/\.\d{2}/);
  expect(d).toMatch(/\.\d/);
});

it('draws every typeface differently', () => {
  const drawn = (['sans', 'heavy', 'serif'] as const).map((typeface) => outline('a', typeface).d);
  expect(new Set(drawn).size).toBe(3);
});
