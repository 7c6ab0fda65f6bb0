import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openImageStore, type ImageStore } from '../../../src/emulators/cluster/image-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function saveImage(images: ImageStore, files: Record<string, string>): Promise<string> {
  const { folder, rootfs } = await images.createWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(rootfs, path, '..'), { recursive: true });
    await writeFile(join(rootfs, path), text);
  }
  return (await images.save(folder, { startCommand: 'node .', commit: 'c'.repeat(40) })).digest;
}

it('stores equal files of all images once', async () => {
  const root = await createScratchFolder();
  const images = await openImageStore(root);
  const first = await images.find(await saveImage(images, { 'node_modules/a.js': 'package', 'app.js': 'one' }));
  const second = await images.find(await saveImage(images, { 'node_modules/b.js': 'package', 'app.js': 'two' }));
  const inode = async (path: string): Promise<number> => (await stat(path)).ino;
  expect(await inode(join(second!.rootfs, 'node_modules/b.js'))).toBe(
    await inode(join(first!.rootfs, 'node_modules/a.js')),
  );
  expect(await readFile(join(first!.rootfs, 'app.js'), 'utf8')).toBe('one');
  expect(await readFile(join(second!.rootfs, 'app.js'), 'utf8')).toBe('two');
  expect(await readdir(join(second!.rootfs, 'node_modules'))).toEqual(['b.js']);
});

it('forgets the files that no image contains any more', async () => {
  const root = await createScratchFolder();
  const digest = await saveImage(await openImageStore(root), { 'app.js': 'one' });
  expect(await readdir(join(root, 'image-files'))).toHaveLength(1);
  await rm(join(root, 'images', digest.replace(':', '-')), { recursive: true });
  await openImageStore(root);
  expect(await readdir(join(root, 'image-files'))).toEqual([]);
});

it('saves a large file without holding it in memory', async () => {
  const images = await openImageStore(await createScratchFolder());
  const { folder, rootfs } = await images.createWorkspace();
  const before = process.memoryUsage().arrayBuffers;
  let peak = before;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 5);
  onTestFinished(() => clearInterval(sampler));
  await writeFile(join(rootfs, 'large.bin'), '');
  await truncate(join(rootfs, 'large.bin'), 512 * 1024 ** 2);
  const { digest, size } = await images.save(folder, { startCommand: 'node .', commit: 'c'.repeat(40) });
  expect({ size, isSaved: (await images.find(digest)) !== undefined }).toEqual({
    size: 512 * 1024 ** 2,
    isSaved: true,
  });
  expect(peak - before).toBeLessThan(64 * 1024 ** 2);
});

it('refuses an image of many large files without content, which would take hours to read', async () => {
  const images = await openImageStore(await createScratchFolder());
  const { folder, rootfs } = await images.createWorkspace();
  for (let index = 0; index < 9; index += 1) {
    await writeFile(join(rootfs, `sparse-${index}`), '');
    await truncate(join(rootfs, `sparse-${index}`), 1024 ** 3);
  }
  await expect(images.save(folder, { startCommand: 'node .', commit: 'c'.repeat(40) })).rejects.toThrow(
    'The files of the image have more than 8 GiB',
  );
});
