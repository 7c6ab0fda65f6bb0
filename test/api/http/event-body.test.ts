import { expect, it } from 'vitest';
import { EventBody } from '../../../api/http/event-body.ts';

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> =>
  new TextDecoder().decode((await reader.read()).value);

it('finishes a write when the reader has taken it', async () => {
  const body = new EventBody(() => {});
  const written: string[] = [];
  const write = async (text: string): Promise<void> => {
    await body.write(text);
    written.push(text);
  };
  const writes = [write('one'), write('two')];
  await new Promise(setImmediate);
  expect(written).toEqual([]);
  expect(body.stalledMs).toBeGreaterThan(0);
  const reader = body.stream.getReader();
  expect([await read(reader), await read(reader)]).toEqual(['one', 'two']);
  await Promise.all(writes);
  expect(body.stalledMs).toBe(0);
  // The stream is asked for more, and its next write waits as the first one did.
  await new Promise(setImmediate);
  const next = write('three');
  await new Promise(setImmediate);
  expect(written).toEqual(['one', 'two']);
  expect(await read(reader)).toBe('three');
  await next;
});

it('delivers what was written before it was closed, and ignores later writes', async () => {
  const body = new EventBody(() => {});
  const pending = body.write('last');
  body.close();
  await pending;
  await body.write('late');
  body.close();
  const reader = body.stream.getReader();
  expect(await read(reader)).toBe('last');
  expect(await reader.read()).toMatchObject({ done: true });
});

it('tells when the reader leaves, and releases the writes', async () => {
  let left = 0;
  const body = new EventBody(() => (left += 1));
  const pending = body.write('never read');
  await body.stream.cancel();
  await pending;
  await body.write('late');
  body.close();
  expect(left).toBe(1);
});
