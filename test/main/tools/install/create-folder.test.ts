import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../../../../src/main/tools/install/create-folder.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

it('creates a folder with its parents, also for several callers at once, and accepts an existing one', async () => {
  const root = await createScratchFolder();
  const folder = join(root, 'a', 'b', 'c');
  await Promise.all([1, 2, 3].map(async () => await createFolder(folder, 0o700)));
  await createFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await createFolder(join(root, 'a', 'd'));
});

it('fails below a file', async () => {
  const file = join(await createScratchFolder(), 'file');
  await writeFile(file, '');
  await expect(createFolder(file)).rejects.toThrow('EEXIST');
  await expect(createFolder(join(file, 'a'))).rejects.toThrow(/EEXIST|ENOTDIR/);
});

it.runIf(process.platform === 'linux')('fails where the system creates no folder', async () => {
  await expect(createFolder('/proc/absent/a/b')).rejects.toThrow('ENOENT');
});
