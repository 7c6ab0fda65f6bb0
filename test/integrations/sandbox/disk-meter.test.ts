import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DiskMeter, exceeds } from '../../../src/integrations/sandbox/disk-meter.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';

const mebibyte = 1024 ** 2;
const write = async (folder: string, name: string, mebibytes: number): Promise<void> =>
  await writeFile(join(folder, name), Buffer.alloc(mebibytes * mebibyte, 'x'));

it('adds up what small writes take, each less than is worth measuring', async () => {
  const folder = await createFolder();
  const meter = new DiskMeter(folder);
  const limits = { diskBytes: 32 * mebibyte, diskFiles: 1_000 };
  for (let number = 0; number < 10; number += 1) {
    await meter.measure(limits);
    await write(folder, `file-${number}`, 5);
  }
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
});

it('notices what a folder takes after others have freed more', async () => {
  const [folder, others] = [await createFolder(), await createFolder()];
  const meter = new DiskMeter(folder);
  const limits = { diskBytes: 16 * mebibyte, diskFiles: 1_000 };
  await write(others, 'big', 256);
  await meter.measure(limits);
  await rm(join(others, 'big'));
  await meter.measure(limits);
  await write(folder, 'file', 24);
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
});

it('measures a folder that exceeds its limits again, so that deletions count', async () => {
  const folder = await createFolder();
  const meter = new DiskMeter(folder);
  const limits = { diskBytes: 4 * mebibyte, diskFiles: 1_000 };
  await write(folder, 'big', 8);
  expect(exceeds(await meter.measure(limits), limits)).toBe(true);
  await rm(join(folder, 'big'));
  expect(exceeds(await meter.measure(limits), limits)).toBe(false);
});
