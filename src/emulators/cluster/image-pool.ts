import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of an image, with the hash of its content. */
export type ImageFile = { path: string; hash: string };

/** The same packages are in most images of a repo, so all images share one copy of equal files. */
export type ImagePool = {
  share(rootfs: string, files: ImageFile[]): Promise<void>;
  /** Removes the files that no image contains. */
  prune(): Promise<void>;
};

export async function openImagePool(folder: string): Promise<ImagePool> {
  await mkdir(folder, { recursive: true });

  /** Images are mounted read-only, so no app can change a shared file. */
  const shareFile = async (file: string, hash: string): Promise<void> => {
    const { mode, ino, size } = await stat(file);
    if (size === 0) return;
    const pooled = join(folder, `${hash}-${(mode & 0o777).toString(8)}`);
    try {
      await link(file, pooled);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if ((await stat(pooled)).ino === ino) return;
      const replacement = `${file}.pooled`;
      await link(pooled, replacement);
      await rename(replacement, file);
    }
  };

  return {
    async share(rootfs, files) {
      for (const { path, hash } of files) {
        // A file that cannot be shared, because the file system limits its links, stays a copy.
        await shareFile(join(rootfs, path), hash).catch(() => undefined);
      }
    },
    async prune() {
      for (const name of await readdir(folder)) {
        if ((await stat(join(folder, name))).nlink === 1) await rm(join(folder, name));
      }
    },
  };
}
