import { expect, it } from 'vitest';
import { isShownInline, toArtifactId, toArtifactPointer } from '../../../src/rules/changes/evidence.ts';

it('returns the id of an artifact pointer', () => {
  expect(toArtifactPointer('abc')).toBe('artifact:abc');
  expect(toArtifactId(toArtifactPointer('abc'))).toBe('abc');
});

it.each([
  ['image/png', true],
  ['video/webm', true],
  ['text/plain', true],
  ['application/json', true],
  ['image/svg+xml', true],
  ['text/html', false],
  ['application/pdf', false],
])('browsers may display %s: %s', (type, expected) => {
  expect(isShownInline(type)).toBe(expected);
});
