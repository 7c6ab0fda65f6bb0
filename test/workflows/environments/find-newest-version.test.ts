import { expect, it } from 'vitest';
import { findNewestVersion } from '../../../workflows/environments/find-newest-version.ts';

it.each([
  [[], undefined],
  [[undefined], undefined],
  [['v0.9.0', undefined, 'v0.10.0', 'v0.2.0'], 'v0.10.0'],
  [['v1.0.0', 'v1.0.0'], 'v1.0.0'],
])('%j → %s', (versions, expected) => {
  expect(findNewestVersion(versions)).toBe(expected);
});
