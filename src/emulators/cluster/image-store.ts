import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, readlink, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../processes/remove-tree.ts';
import { openImagePool } from './image-pool.ts';
import { BuildFailure } from './plan-build.ts';

/** The shell command that runs the image in its root, and the commit that the image was built from. */
export type ImageConfig = { startCommand: string; commit: string };
export type Image = { rootfs: string; startCommand: string };

export type ImageStore = {
  /** Creates a build folder with an empty rootfs; `save` or `discard` removes it. */
  createWorkspace(): Promise<{ folder: string; rootfs: string }>;
  /** Stores the build under the SHA-256 of its content, so equal content results in the same image. */
  save(folder: string, config: ImageConfig): Promise<{ digest: string; size: number }>;
  discard(folder: string): Promise<void>;
  find(digest: string): Promise<Image | undefined>;
  listDigests(): Promise<string[]>;
  /** Removes images, and the files that no other image contains. */
  remove(digests: readonly string[]): Promise<void>;
};

export async function openImageStore(root: string): Promise<ImageStore> {
  const images = join(root, 'images');
  const building = join(root, 'building');
  // Unfinished builds of an earlier process start over from their source.
  await removeTree(building);
  await mkdir(images, { recursive: true });
  const pool = await openImagePool(join(root, 'image-files'));
  await pool.prune();
  const toFolder = (digest: string): string => join(images, digest.replace(':', '-'));

  return {
    async createWorkspace() {
      const folder = join(building, randomUUID());
      const rootfs = join(folder, 'rootfs');
      await mkdir(rootfs, { recursive: true });
      return { folder, rootfs };
    },
    async save(folder, config) {
      const rootfs = join(folder, 'rootfs');
      const { entries, size } = await scanRootfs(rootfs);
      const manifest = JSON.stringify({ ...config, entries });
      const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
      await writeFile(join(folder, 'manifest.json'), manifest);
      if (await stat(toFolder(digest)).catch(() => undefined)) await removeTree(folder);
      else {
        const files = entries.filter(([, mode]) => mode !== 'link').map(([path, , hash]) => ({ path, hash }));
        await pool.share(rootfs, files);
        await rename(folder, toFolder(digest));
      }
      return { digest, size };
    },
    discard: removeTree,
    async find(digest) {
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
      const manifest = await readFile(join(toFolder(digest), 'manifest.json'), 'utf8').catch(() => undefined);
      if (manifest === undefined) return undefined;
      return {
        rootfs: join(toFolder(digest), 'rootfs'),
        startCommand: (JSON.parse(manifest) as ImageConfig).startCommand,
      };
    },
    async remove(digests) {
      if (digests.length === 0) return;
      for (const digest of digests) await removeTree(toFolder(digest));
      await pool.prune();
    },
    listDigests: async () => (await readdir(images)).map((name) => name.replace('sha256-', 'sha256:')).toSorted(),
  };
}

/** A sparse file takes no space on the disk, but as long to read as any other of its size. */
export const imageBytesMax = 8 * 1024 ** 3;

/** Times and owners are left out, so that equal content has an equal digest. */
type RootfsEntry = [path: string, mode: '644' | '755' | 'link', content: string];

async function scanRootfs(root: string): Promise<{ entries: RootfsEntry[]; size: number }> {
  const found = await Array.fromAsync(walkFiles(root));
  const size = found.reduce((sum, { bytes }) => sum + bytes, 0);
  if (size > imageBytesMax)
    throw new BuildFailure(
      `The files of the image have more than ${imageBytesMax / 1024 ** 3} GiB together: remove those that the app does not need.`,
    );
  const entries: RootfsEntry[] = [];
  const buffer = Buffer.allocUnsafe(1024 ** 2);
  for (const { path, mode } of found) {
    const file = join(root, path);
    entries.push([path, mode, mode === 'link' ? await readlink(file) : await hashFile(file, buffer)]);
  }
  return { entries: entries.toSorted(([one], [other]) => (one < other ? -1 : 1)), size };
}

async function hashFile(path: string, buffer: Buffer): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256');
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

type FoundFile = { path: string; mode: RootfsEntry[1]; bytes: number };

/** Yields every file and link below a root. Recursive `readdir` would follow links out of the tree. */
async function* walkFiles(root: string, folder = ''): AsyncGenerator<FoundFile> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFiles(root, path);
    else if (entry.isSymbolicLink()) yield { path, mode: 'link', bytes: 0 };
    else if (entry.isFile()) {
      const { mode, size } = await stat(join(root, path));
      yield { path, mode: mode & 0o100 ? '755' : '644', bytes: size };
    }
  }
}
