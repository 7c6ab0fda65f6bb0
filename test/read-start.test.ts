import { expect, it } from 'vitest';
import { readStart } from '../src/read-start.ts';

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.from('four');
}

it('reads a body, and no more of it than the limit', async () => {
  expect(await readStart(new Blob(['a ', 'body']).stream(), 6)).toBe('a body');
  expect(await readStart(endless(), 6)).toBe('fourfo');
});
