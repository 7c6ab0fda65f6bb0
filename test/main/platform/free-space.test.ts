import { expect, it, onTestFinished } from 'vitest';
import { assertFreeSpace, watchFreeSpace } from '../../../src/main/platform/free-space.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const MiB = 1024 ** 2;

it('refuses to start on a disk that is almost full', async () => {
  const folder = await createScratchFolder();
  await expect(assertFreeSpace(folder, async () => 8 * MiB)).rejects.toThrow(/has only 8 MiB left.*--data-dir/);
  await assertFreeSpace(folder);
});

it('warns once when the disk gets full, and once when it has space again', async () => {
  const warnings: string[] = [];
  let bytes = 500 * MiB;
  const watch = watchFreeSpace({
    folder: '/data',
    onWarning: (message) => warnings.push(message),
    intervalMs: 1,
    read: async () => bytes,
  });
  onTestFinished(watch.close);
  bytes = MiB;
  await expect.poll(() => warnings).toEqual([expect.stringContaining('is almost full (1 MiB left)')]);
  bytes = 500 * MiB;
  await expect.poll(() => warnings).toHaveLength(2);
});
