import { expect, it } from 'vitest';
import { drawPlaceholder } from '../../../src/rules/environments/draw-placeholder.ts';

it('shows the title and the reason', () => {
  const svg = drawPlaceholder('shop-rc', 'The site did not respond.');
  expect(svg).toContain('>shop-rc</text>');
  expect(svg).toContain('>The site did not respond.</text>');
});

it('escapes markup and removes control characters', () => {
  const svg = drawPlaceholder('<script>', 'a & "b"\u0000');
  expect(svg).not.toContain('<script>');
  expect(svg).toContain('a &amp; &quot;b&quot;');
  expect(svg).not.toContain('\u0000');
});

it('wraps long lines and limits their number', () => {
  const countLines = (text: string): number => drawPlaceholder('t', text).match(/font-size="26"/g)?.length ?? 0;
  expect(countLines('word '.repeat(20))).toBe(2);
  expect(countLines('x'.repeat(200))).toBe(4);
  expect(countLines('word '.repeat(1_000))).toBe(9);
});
