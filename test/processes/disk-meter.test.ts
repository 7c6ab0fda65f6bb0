import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DiskMeter, exceeds } from '../../src/processes/disk-meter.ts';
import { createFolder } from '../emulators/codehost/codehost-fixture.ts';

const mebibyte = 1024 ** 2;

/** A disk with a free space of its own, because other programs write to that of the machine meanwhile. */
function createMeter(folder: string) {
  const free = { diskBytes: 1024 * mebibyte, diskFiles: 1_000_000 };
  const meter = new DiskMeter(folder, async () => ({ ...free }));
  const write = async (name: string, mebibytes: number): Promise<void> => {
    await writeFile(join(folder, name), Buffer.alloc(mebibytes * mebibyte, 'x'));
    free.diskBytes -= mebibytes * mebibyte;
  };
  return { meter, free, write };
}

it('adds up what small writes take, each less than is worth measuring', async () => {
  const { meter, write } = createMeter(await createFolder());
  const limits = { diskBytes: 32 * mebibyte, diskFiles: 1_000 };
  for (let number = 0; number < 10; number += 1) {
    await meter.measure(limits);
    await write(`file-${number}`, 5);
  }
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
});

it('measures only when the free space has shrunk by a quarter of a limit', async () => {
  const { meter, free, write } = createMeter(await createFolder());
  const limits = { diskBytes: 32 * mebibyte, diskFiles: 1_000 };
  const first = await meter.measure(limits);
  await write('file', 7);
  expect(await meter.measure(limits)).toBe(first);
  free.diskFiles -= 250;
  expect((await meter.measure(limits)).diskBytes).toBeGreaterThanOrEqual(first.diskBytes + 7 * mebibyte);
});

it('notices what a folder takes after others have freed more', async () => {
  const { meter, free, write } = createMeter(await createFolder());
  const limits = { diskBytes: 16 * mebibyte, diskFiles: 1_000 };
  await meter.measure(limits);
  free.diskBytes += 256 * mebibyte;
  await meter.measure(limits);
  await write('file', 24);
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
});

it('measures a folder that exceeds its limits again, so that deletions count', async () => {
  const folder = await createFolder();
  const { meter, write } = createMeter(folder);
  const limits = { diskBytes: 4 * mebibyte, diskFiles: 1_000 };
  await write('big', 8);
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
  await rm(join(folder, 'big'));
  expect(exceeds(await meter.measure(limits), limits)).toBe(false);
});

it('counts files, and reads the free space of the disk by default', async () => {
  const folder = await createFolder();
  const limits = { diskBytes: 1024 * mebibyte, diskFiles: 10 };
  const meter = new DiskMeter(folder);
  for (let number = 0; number < 20; number += 1) await writeFile(join(folder, String(number)), '');
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
});
