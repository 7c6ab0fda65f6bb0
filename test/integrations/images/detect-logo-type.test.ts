import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { detectLogoType } from '../../../src/integrations/images/detect-logo-type.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa]), Buffer.alloc(40)]);
const pngHeader = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const idat = deflateSync(Buffer.from([0, 0, 0, 0, 0]));
const length = Buffer.alloc(4);
length.writeUInt32BE(idat.length);
const wholePng = Buffer.concat([pngHeader, length, Buffer.from('IDAT'), idat, Buffer.alloc(4)]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1]);
const webp = Buffer.from('RIFF\u0024\0\0\0WEBPVP8 ', 'latin1');
const gif = Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;', 'latin1');

it.each([
  ['a PNG', wholePng, 'image/png'],
  ['a JPEG', jpeg, 'image/jpeg'],
  ['a WebP', webp, 'image/webp'],
  ['an SVG', Buffer.from(svg), 'image/svg+xml'],
  ['an SVG with a declaration', Buffer.from(`<?xml version="1.0"?>${svg}`), 'image/svg+xml'],
])('detects %s by its bytes', async (_name, bytes, type) => {
  expect(await detectLogoType(bytes)).toEqual({ type });
});

it.each([
  ['an empty file', Buffer.of(), 'It is empty.'],
  ['another image', gif, 'It is image/gif, not an SVG, PNG, JPEG or WebP image.'],
  ['an SVG with a script', Buffer.from(svg.replace('<path', '<script/><path')), '<script> is not allowed'],
  ['other XML', Buffer.from('<?xml version="1.0"?><html/>'), 'Its root is <html>'],
  ['a text', Buffer.from('Hello'), 'well-formed'],
  ['bytes of nothing', Buffer.from([0x3c, 0xff]), 'It is not UTF-8 text.'],
])('rejects %s with its cause', async (_name, bytes, words) => {
  const found = await detectLogoType(bytes);
  expect('violations' in found ? found.violations.join(' ') : found).toContain(words);
});

it('survives a file that breaks off where its type is detected', async () => {
  for (let size = 1; size < png.length; size += 1)
    await expect(detectLogoType(png.subarray(0, size))).resolves.toBeDefined();
});
