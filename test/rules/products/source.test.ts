import { expect, it } from 'vitest';
import { describeSource, ProductSource, scaffoldMarker } from '../../../src/rules/products/source.ts';

const sha256 = 'a'.repeat(64);

it('accepts a known template or the SHA-256 of an archive', () => {
  const accepts = (source: object): boolean => ProductSource.safeParse({ repo: 'acme/fresh', ...source }).success;
  expect(accepts({ template: 'go-service' })).toBe(true);
  expect(accepts({ archive: { sha256 } })).toBe(true);
  expect(accepts({ template: '../emulators' })).toBe(false);
  expect(accepts({ archive: { sha256: '../x' } })).toBe(false);
});

it('describes the source in words', () => {
  expect(describeSource({ repo: 'acme/fresh', template: 'go-service' })).toBe('the template go-service');
  expect(describeSource({ repo: 'acme/fresh', archive: { sha256 } })).toBe('an archive (aaaaaaaaaaaa)');
});

it('has a marker for each Product', () => {
  expect(scaffoldMarker('u1')).not.toBe(scaffoldMarker('u2'));
});
