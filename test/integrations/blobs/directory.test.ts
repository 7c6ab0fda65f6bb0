import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { describeBlobs } from '../../contracts/blobs.ts';

const root = await mkdtemp(join(tmpdir(), 'blobs-'));
afterAll(async () => await rm(root, { recursive: true, force: true }));

describeBlobs('a directory', async () => directoryBlobs(await mkdtemp(join(root, 'each-'))));

it('leaves no empty folder behind a deleted run', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1/implement/0001/answer', new Uint8Array([1]));
  await blobs.deleteAll('runs/1/');
  expect(await readdir(folder)).toEqual([]);
});
