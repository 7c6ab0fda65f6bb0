import { expect, it } from 'vitest';
import { bandsSource, rateMeasure } from '../../../src/rules/dora/bands.ts';

const hour = 3_600;
const day = 24 * hour;

it.each([
  ['deploymentFrequency', 5, 'Elite'],
  ['deploymentFrequency', 4.99, 'High'],
  ['deploymentFrequency', 1, 'High'],
  ['deploymentFrequency', 0.99, 'Medium'],
  ['deploymentFrequency', 7 / 30, 'Medium'],
  ['deploymentFrequency', 0.2, 'Low'],
  ['leadTime', day - 1, 'Elite'],
  ['leadTime', day, 'High'],
  ['leadTime', 7 * day, 'Medium'],
  ['leadTime', 30 * day, 'Low'],
  ['changeFailureRate', 0, 'Elite'],
  ['changeFailureRate', 0.05, 'Elite'],
  ['changeFailureRate', 0.1, 'High'],
  ['changeFailureRate', 0.15, 'Medium'],
  ['changeFailureRate', 0.151, 'Low'],
  ['timeToRestore', hour - 1, 'Elite'],
  ['timeToRestore', hour, 'High'],
  ['timeToRestore', day, 'Medium'],
  ['timeToRestore', 7 * day, 'Low'],
] as const)('rates %s of %d as %s', (measure, value, rating) => {
  expect(rateMeasure(measure, value)).toBe(rating);
});

it('rates nothing without a value', () => {
  expect(rateMeasure('deploymentFrequency', undefined)).toBeUndefined();
});

it('names the year of the bands', () => {
  expect(bandsSource.title).toContain(String(bandsSource.year));
});
