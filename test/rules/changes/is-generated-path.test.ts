import { expect, it } from 'vitest';
import { isGeneratedPath } from '../../../src/rules/changes/is-generated-path.ts';

it.each([
  ['package-lock.json', true],
  ['app/Cargo.lock', true],
  ['vendor/github.com/x/y.go', true],
  ['test/__snapshots__/a.ts', true],
  ['public/app.min.js', true],
  ['src/lock.json', false],
  ['src/vendor.ts', false],
  ['vendor', false],
  ['docs/go.summary', false],
])('%s: %s', (path, generated) => {
  expect(isGeneratedPath(path)).toBe(generated);
});
