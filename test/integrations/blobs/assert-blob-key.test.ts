import { expect, it } from 'vitest';
import { assertBlobKey, assertBlobPrefix } from '../../../src/integrations/blobs/assert-blob-key.ts';

const part = 'a'.repeat(200);
const longest = `${`${part}/`.repeat(4)}${'a'.repeat(96)}`;

it.each(['a', 'runs/1/implement/0001', 'A_@=+-.b', '-a', part, longest])('accepts the key %s', (key) => {
  expect(assertBlobKey(key)).toBe(key);
});

it.each(['', '.a', 'a/.b', 'a/', '/a', 'a//b', 'a b', 'ä', `${part}a`, `${longest}a`])('rejects the key %s', (key) => {
  expect(() => assertBlobKey(key)).toThrow(`"${key}" is not a valid blob key.`);
});

it.each(['', 'runs/', 'runs/1', 'runs/.', 'runs/1/impl'])('accepts the prefix %j', (prefix) => {
  expect(assertBlobPrefix(prefix)).toBe(prefix);
});

it.each(['/', '../', 'a//b', '.a/b'])('rejects the prefix %j', (prefix) => {
  expect(() => assertBlobPrefix(prefix)).toThrow('is not a valid blob key');
});
