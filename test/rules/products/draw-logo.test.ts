import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTextOutliner } from '../../../src/integrations/images/create-text-outliner.ts';
import { svgViolations } from '../../../src/integrations/images/svg-violations.ts';
import { drawLogo, toInitials } from '../../../src/rules/products/draw-logo.ts';
import { logoDirections } from '../../../src/rules/products/logo.ts';

const outline = await createTextOutliner();

it.each([
  ['hello', 'H'],
  ['hello-world', 'HW'],
  ['Payments API v2', 'PA'],
  ['zürich-3', 'Z3'],
  ['ähre', 'Ä'],
  ['---', '?'],
])('the initials of %s are %s', (name, initials) => {
  expect(toInitials(name)).toBe(initials);
});

describe.each(logoDirections)('a $name', ({ name: direction }) => {
  it('contains only allowed elements for any name', () => {
    for (const name of ['hello', 'a', 'A very long name of a product indeed', '漢字', '<script>', '"&', '🙂'])
      expect(svgViolations(Buffer.from(drawLogo(name, direction, outline))), name).toEqual([]);
  });

  it('is deterministic, contains no text element, and is small', () => {
    const logo = drawLogo('hello-world', direction, outline);
    expect(drawLogo('hello-world', direction, outline)).toBe(logo);
    expect(logo).not.toContain('<text');
    expect(logo).not.toContain('NaN');
    expect(logo.length).toBeLessThan(20_000);
  });
});

it('differs for different names and directions', () => {
  const names = ['hello', 'shop', 'payments', 'search', 'mail'];
  const logos = names.flatMap((name) => logoDirections.map((direction) => drawLogo(name, direction.name, outline)));
  expect(new Set(logos).size).toBe(logos.length);
});

it('draws each shape of the geometric direction', () => {
  const logos = Array.from({ length: 20 }, (_, index) => drawLogo(`shop-${index}`, 'geometric', outline)).join('');
  for (const shape of [/<circle /, /<rect /, /<path d="M\d+ \d+L/, /<path d="M\d+ \d+A/]) expect(logos).toMatch(shape);
});

it('fills the whole canvas', () => {
  const names = ['hello', 'shop', 'payments', 'search', 'mail'];
  for (const direction of ['symbol', 'pattern'] as const)
    for (const name of names) expect(drawLogo(name, direction, outline)).toContain('viewBox="0 0 256 256"');
  const patterns = names.map((name) => drawLogo(name, 'pattern', outline)).join('');
  for (const at of [18, 62, 106, 150, 194]) {
    expect(patterns).toContain(`<rect x="${at}"`);
    expect(patterns).toContain(` y="${at}"`);
  }
});

it('scales and centres its letters in the box', () => {
  const square = () => ({ d: 'M0 0', x: 10, y: 20, width: 64, height: 32 });
  const logo = drawLogo('hello', 'negative-space', square);
  // The largest scale that fits into 128 by 128, and the middle of 256 by 256.
  expect(logo).toContain('transform="translate(44 56) scale(2)"');
});

/** Digests of the drawings, because people know a Product by its logo: an update of the service must not change it. */
const known: Record<string, string> = {
  symbol: 'b4efbca884b8',
  monogram: 'fd8f315a423b',
  wordmark: '643b8b972590',
  badge: '8f57b31de7bc',
  emblem: '945a2aff0baf',
  combination: 'd75148b7451f',
  geometric: 'eb81e357ca16',
  line: '7542f8858bb8',
  'negative-space': '4f2a1d05ceb3',
  pattern: '428e2acd84e9',
};

it.each(logoDirections)('draws the same $name as earlier versions', ({ name: direction }) => {
  const names = ['hello', 'hello-world', 'shop', 'payments-api', 'a', '漢字', 'search', 'zürich-3'];
  const fixed = (text: string) => ({ d: `M${text.length} 0`, x: 3, y: -20, width: 9 * text.length, height: 24 });
  const drawn = names.map((name) => drawLogo(name, direction, fixed)).join('');
  expect(hash('sha256', drawn).slice(0, 12)).toBe(known[direction]);
});
