import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
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

it('keeps the folders of other blobs, and its own root', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1/a/answer', new Uint8Array([1]));
  await blobs.put('runs/2/answer', new Uint8Array([2]));
  await blobs.deletePrefix('runs/1/');
  expect(await readdir(join(folder, 'runs'))).toEqual(['2']);
  await blobs.deletePrefix('runs/');
  expect(await readdir(folder)).toEqual([]);
});

it('keeps a blob that was written at exactly the time', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  const time = new Date('2026-05-04T10:00:00Z');
  for (const key of ['at', 'before']) await blobs.put(key, new Uint8Array([1]));
  await utimes(join(folder, 'at'), time, time);
  await utimes(join(folder, 'before'), time, new Date(time.getTime() - 1_000));
  await blobs.deletePrefix('', { writtenBefore: time });
  expect(await blobs.list('')).toEqual(['at']);
});

it('lists no file that is being written, and finds nothing below a blob', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1', new Uint8Array([1]));
  await writeFile(join(folder, 'runs', '.writing'), 'a part');
  expect(await blobs.list('runs/')).toEqual(['runs/1']);
  expect(await blobs.find('runs/1/answer')).toBeUndefined();
  expect(await blobs.list('runs/1/')).toEqual([]);
});

it('leaves no part of a blob that could not be written', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1/answer', new Uint8Array([1]));
  await expect(blobs.put('runs/1', new Uint8Array([1]))).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await readdir(join(folder, 'runs'))).toEqual(['1']);
});

it('throws other errors of the file system', async () => {
  const blobs = directoryBlobs(await mkdtemp(join(root, 'each-')));
  await blobs.put('runs/1/answer', new Uint8Array([1]));
  await expect(blobs.find('runs/1')).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(blobs.put('runs/1', new Uint8Array([1]))).rejects.toMatchObject({ code: 'EISDIR' });
  const withNul = directoryBlobs('/tmp/\0');
  await expect(withNul.find('a')).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
});

it('lists and deletes no file of others, whose name is no key', async () => {
  const folder = await mkdtemp(join(root, 'each-'));
  const blobs = directoryBlobs(folder);
  await blobs.put('runs/1', new Uint8Array([1]));
  await writeFile(join(folder, 'runs', 'a note.txt'), 'of a person');
  expect(await blobs.list('')).toEqual(['runs/1']);
  await blobs.deletePrefix('runs/');
  expect(await readdir(join(folder, 'runs'))).toEqual(['a note.txt']);
});
