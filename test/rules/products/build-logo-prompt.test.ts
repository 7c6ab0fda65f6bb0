import { expect, it } from 'vitest';
import { buildLogoPrompt, extractSvg } from '../../../src/rules/products/build-logo-prompt.ts';
import { logoDirections } from '../../../src/rules/products/logo.ts';
import { allowedSvgElements } from '../../../src/rules/products/svg-allowlist.ts';

it('asks for an SVG document with only allowed elements', () => {
  const { system, messages } = buildLogoPrompt('badge', { name: 'shop', description: 'Sells things.' });
  for (const element of allowedSvgElements) expect(system).toContain(element);
  expect(messages).toHaveLength(1);
  expect(messages[0]?.content).toContain('"shop"');
  expect(messages[0]?.content).toContain('Sells things.');
  expect(messages[0]?.content).toContain('badge');
});

it('explains the direction', () => {
  for (const { name: direction, brief } of logoDirections)
    expect(buildLogoPrompt(direction, { name: 'shop' }).messages[0]?.content).toContain(
      `${direction}, that is ${brief}.`,
    );
});

it('leaves out a missing description', () => {
  expect(buildLogoPrompt('line', { name: 'shop' }).messages[0]?.content).not.toContain('description');
});

it.each([
  ['<svg viewBox="0 0 1 1"></svg>', '<svg viewBox="0 0 1 1"></svg>'],
  ['Here it is:\n```svg\n<svg>\n<g/></svg>\n```', '<svg>\n<g/></svg>'],
  ['I cannot draw.', undefined],
  ['</svg> ends it, and <svg> begins it.', undefined],
  ['<svgx></svgx>', undefined],
])('extracts the document from %j', (response, expected) => {
  expect(extractSvg(response)).toBe(expected);
});
