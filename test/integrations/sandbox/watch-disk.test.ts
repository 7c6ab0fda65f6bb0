import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { watchDisk, type DiskLimits } from '../../../src/integrations/sandbox/watch-disk.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';

const mebibyte = 1024 ** 2;

/** Watches an empty folder. Free space is that of the whole disk, so a folder without limits is measured at every poll. */
async function watch(limits: DiskLimits) {
  const folder = await createFolder();
  let reports = 0;
  const full = Promise.withResolvers<void>();
  const { stop } = watchDisk(folder, limits, () => {
    reports += 1;
    full.resolve();
  });
  onTestFinished(stop);
  return { folder, stop, full: full.promise, count: () => reports };
}

const roomy = { diskBytes: 1024 * mebibyte, diskFiles: 1_000_000 };

it('reports a folder with too many bytes, once', async () => {
  const { folder, full, count } = await watch({ ...roomy, diskBytes: 8 * mebibyte });
  await sleep(300);
  await writeFile(join(folder, 'big'), Buffer.alloc(12 * mebibyte, 'x'));
  await full;
  await sleep(300);
  expect(count()).toBe(1);
});

it('reports a folder with too many files', async () => {
  const { folder, full } = await watch({ ...roomy, diskFiles: 100 });
  await sleep(300);
  for (let number = 0; number < 200; number += 1) await writeFile(join(folder, String(number)), '');
  await full;
});

it('reports nothing within the limits, nor after it was stopped', async () => {
  const within = await watch({ diskBytes: 64 * mebibyte, diskFiles: 1_000 });
  const stopped = await watch({ diskBytes: mebibyte, diskFiles: 10 });
  stopped.stop();
  await mkdir(join(within.folder, 'a'));
  for (const { folder } of [within, stopped]) await writeFile(join(folder, 'file'), Buffer.alloc(20 * mebibyte, 'x'));
  await sleep(600);
  expect([within.count(), stopped.count()]).toEqual([0, 0]);
});

it('goes on when the folder cannot be measured', async () => {
  const { folder, full } = await watch({ ...roomy, diskBytes: 8 * mebibyte });
  await rm(folder, { recursive: true });
  await sleep(300);
  await mkdir(folder);
  await sleep(300);
  await writeFile(join(folder, 'big'), Buffer.alloc(12 * mebibyte, 'x'));
  await full;
});
