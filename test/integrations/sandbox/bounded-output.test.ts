import { expect, it } from 'vitest';
import { boundedOutput } from '../../../src/integrations/sandbox/bounded-output.ts';

it('returns output within the limit unchanged', () => {
  const output = boundedOutput(10);
  output.add(Buffer.from('12345'));
  output.add(Buffer.from('67890'));
  expect(output.text()).toBe('1234567890');
});

it('keeps the start and the end of longer output, and counts the omitted bytes', () => {
  const output = boundedOutput(10);
  for (let chunk = 0; chunk < 30_000; chunk += 1) output.add(Buffer.from('abcdefghij'));
  expect(output.text()).toBe('abcde\n[… 299990 bytes omitted …]\nfghij');
});

it.each([
  [['12345678901'], '12345\n[… 1 bytes omitted …]\n78901'],
  [['12', '34', '567', '890', '12'], '12345\n[… 2 bytes omitted …]\n89012'],
  [['12345', ''], '12345'],
  [['123456'], '123456'],
])('keeps both ends of the chunks %j', (chunks, text) => {
  const output = boundedOutput(10);
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  expect(output.text()).toBe(text);
  expect(output.text()).toBe(text);
});

it('goes on after its text was read', () => {
  const output = boundedOutput(4);
  output.add(Buffer.from('123456'));
  expect(output.text()).toBe('12\n[… 2 bytes omitted …]\n56');
  output.add(Buffer.from('78'));
  expect(output.text()).toBe('12\n[… 4 bytes omitted …]\n78');
});
