import { describe, expect, it } from 'vitest';
import { outlineText } from '../../../src/integrations/images/outline-text.ts';
import { svgProblems } from '../../../src/integrations/images/svg-problems.ts';
import { drawLogo, initialsOf } from '../../../src/rules/catalog/draw-logos.ts';
import { logoDirections } from '../../../src/rules/catalog/logo.ts';

const outline = await outlineText();

it.each([
  ['hello', 'H'],
  ['hello-world', 'HW'],
  ['Payments API v2', 'PA'],
  ['zürich-3', 'Z3'],
  ['ähre', 'Ä'],
  ['---', '?'],
])('the initials of %s are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

describe.each(logoDirections)('a $name', ({ name: direction }) => {
  it('is a picture and nothing else, whatever the name', () => {
    for (const name of ['hello', 'a', 'A very long name of a product indeed', '漢字', '<script>', '"&', '🙂'])
      expect(svgProblems(Buffer.from(drawLogo(name, direction, outline))), name).toEqual([]);
  });

  it('is the same for the same name, needs no font, and is small', () => {
    const logo = drawLogo('hello-world', direction, outline);
    expect(drawLogo('hello-world', direction, outline)).toBe(logo);
    expect(logo).not.toContain('<text');
    expect(logo).not.toContain('NaN');
    expect(logo.length).toBeLessThan(20_000);
  });
});

it('different names and directions look different', () => {
  const names = ['hello', 'shop', 'payments', 'search', 'mail'];
  const logos = names.flatMap((name) => logoDirections.map((direction) => drawLogo(name, direction.name, outline)));
  expect(new Set(logos).size).toBe(logos.length);
});
