import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { describeBlobsContract } from '../../contracts/blobs.ts';

const root = await mkdtemp(join(tmpdir(), 'blobs-'));
afterAll(async () => await rm(root, { recursive: true, force: true }));

describeBlobsContract('a directory', async () => directoryBlobs(await mkdtemp(join(root, 'each-'))));

it('removes empty folders after a delete', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1/implement/0001/answer', new Uint8Array([1]));
  await blobs.deletePrefix('runs/1/');
  expect(await readdir(folder)).toEqual([]);
});
