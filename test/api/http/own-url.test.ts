import { expect, it } from 'vitest';
import { toOwnUrl } from '../../../api/http/own-url.ts';

const publicUrl = 'https://delivery.example.com/';

it.each([
  ['/acme/products', 'https://delivery.example.com/acme/products'],
  ['/?to=x', 'https://delivery.example.com/?to=x'],
  ['/.//evil.example', 'https://delivery.example.com//evil.example'],
])('resolves %s', (path, url) => {
  expect(toOwnUrl(path, publicUrl)?.href).toBe(url);
});

it.each(['', 'acme', '//evil.example', '/\\evil.example', 'https://delivery.example.com/', '//[', 'javascript:x'])(
  'refuses "%s"',
  (path) => {
    expect(toOwnUrl(path, publicUrl)).toBeUndefined();
  },
);
