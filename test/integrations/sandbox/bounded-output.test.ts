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
