import { expect, it } from 'vitest';
import {
  allowedSvgAttributes,
  allowedSvgElements,
  hasOnlyInternalReferences,
} from '../../../src/rules/products/svg-allowlist.ts';

it.each(['script', 'style', 'image', 'use', 'a', 'foreignObject', 'animate', 'set', 'filter'])(
  'does not allow the element %s',
  (element) => expect(allowedSvgElements.has(element)).toBe(false),
);

it.each(['href', 'xlink:href', 'style', 'class', 'onload', 'onclick'])('does not allow the attribute %s', (attribute) =>
  expect(allowedSvgAttributes.has(attribute)).toBe(false),
);

it.each([
  ['#fff', true],
  ['url(#gradient)', true],
  ['url( "#gradient" )', true],
  ['url(http://evil.example)', false],
  ['URL(//evil.example)', false],
  ['u\\72l(http://evil.example)', false],
  ['image-set("x")', false],
  ['javascript:alert(1)', false],
  ['data:image/png;base64,x', false],
  ['url(#a) url(http://evil.example)', false],
])('%s only refers to the same image: %s', (value, expected) => {
  expect(hasOnlyInternalReferences(value)).toBe(expected);
});
