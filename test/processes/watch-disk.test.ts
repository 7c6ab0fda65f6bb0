import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { DiskMeter, type DiskLimits } from '../../src/processes/disk-meter.ts';
import { watchDisk } from '../../src/processes/watch-disk.ts';
import { createFolder } from '../emulators/codehost/codehost-fixture.ts';

const mebibyte = 1024 ** 2;

/** Measures at each poll, because other programs change the free space of the machine meanwhile. */
function createMeter(folder: string): DiskMeter {
  let measurements = 0;
  return new DiskMeter(folder, async () => ({ diskBytes: -(measurements += 1) * 1024 * mebibyte, diskFiles: 0 }));
}

/** Watches an empty folder. */
async function watch(limits: DiskLimits) {
  const folder = await createFolder();
  const meter = createMeter(folder);
  const used = await meter.measure(limits);
  let reports = 0;
  const full = Promise.withResolvers<void>();
  const onFull = (): void => {
    reports += 1;
    full.resolve();
  };
  const { stop } = watchDisk(meter, { limits, used, onFull });
  onTestFinished(stop);
  return { folder, stop, full: full.promise, count: () => reports };
}

const roomy = { diskBytes: 1024 * mebibyte, diskFiles: 1_000_000 };

it('reports a folder with too many bytes, once', async () => {
  const { folder, full, count } = await watch({ ...roomy, diskBytes: 8 * mebibyte });
  await writeFile(join(folder, 'big'), Buffer.alloc(12 * mebibyte, 'x'));
  await full;
  await sleep(300);
  expect(count()).toBe(1);
});

it('reports a folder with too many files', async () => {
  const { folder, full } = await watch({ ...roomy, diskFiles: 100 });
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

it('reports a full folder only when it grows', async () => {
  const folder = await createFolder();
  const limits = { ...roomy, diskBytes: 4 * mebibyte };
  const meter = createMeter(folder);
  await writeFile(join(folder, 'big'), Buffer.alloc(8 * mebibyte, 'x'));
  const used = await meter.measure(limits);
  const full = Promise.withResolvers<void>();
  let reports = 0;
  const onFull = (): void => {
    reports += 1;
    full.resolve();
  };
  onTestFinished(watchDisk(meter, { limits, used, onFull }).stop);
  await sleep(600);
  expect(reports).toBe(0);
  await writeFile(join(folder, 'more'), Buffer.alloc(mebibyte, 'x'));
  await full.promise;
});
