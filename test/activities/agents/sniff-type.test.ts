import { expect, it } from 'vitest';
import { sniffType } from '../../../activities/agents/sniff-type.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

it.each([
  ['an image', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0'), 'image/png'],
  ['a PDF', bytes('%PDF-1.4\n'), 'application/pdf'],
  ['a JSON object', bytes(' {"passed": 3}'), 'application/json'],
  ['text that starts like JSON', bytes('[not json'), 'text/plain'],
  ['markup', bytes('<html><svg></svg></html>'), 'text/plain'],
  ['an SVG', bytes('<svg onload="alert(1)"/>'), 'image/svg+xml'],
  [
    'an SVG with a prolog',
    bytes('<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<!DOCTYPE svg>\n<svg>'),
    'image/svg+xml',
  ],
  ['an SVG with entities', bytes('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'), 'text/plain'],
  ['many comments without an SVG', bytes('<!---->'.repeat(50_000)), 'text/plain'],
  ['coloured output', bytes('\x1b[32mok\x1b[0m\n'), 'text/plain'],
  ['control characters', bytes('\x01\x02\0'), 'application/octet-stream'],
  ['an empty file', bytes(''), 'text/plain'],
])('detects %s by its content', async (_, content, type) => {
  expect(await sniffType(content)).toBe(type);
});
