import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How an image is run, a shell line in its root, and the commit that it was built from. */
export type ImageConfig = { start: string; commit: string };
export type Image = { rootfs: string; start: string };

export type ImageStore = {
  /** A folder to build in, and the empty rootfs in it; `keep` or `discard` ends its life. */
  workspace(): Promise<{ folder: string; rootfs: string }>;
  /** Keeps what was built under the SHA-256 of all that is in it, so that the same content is the same image. */
  keep(folder: string, config: ImageConfig): Promise<{ digest: string; size: number }>;
  discard(folder: string): Promise<void>;
  find(digest: string): Promise<Image | undefined>;
  digests(): Promise<string[]>;
};

export async function openImageStore(root: string): Promise<ImageStore> {
  const images = join(root, 'images');
  const building = join(root, 'building');
  // What an earlier process was building when it died is built again from its source.
  await rm(building, { recursive: true, force: true });
  await mkdir(images, { recursive: true });
  const folderOf = (digest: string): string => join(images, digest.replace(':', '-'));
  const discard = async (folder: string): Promise<void> => await rm(folder, { recursive: true, force: true });

  return {
    async workspace() {
      const folder = join(building, randomUUID());
      const rootfs = join(folder, 'rootfs');
      await mkdir(rootfs, { recursive: true });
      return { folder, rootfs };
    },
    async keep(folder, config) {
      const { entries, size } = await contents(join(folder, 'rootfs'));
      const manifest = JSON.stringify({ ...config, entries });
      const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
      await writeFile(join(folder, 'manifest.json'), manifest);
      if (await stat(folderOf(digest)).catch(() => undefined)) await discard(folder);
      else await rename(folder, folderOf(digest));
      return { digest, size };
    },
    discard,
    async find(digest) {
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
      const manifest = await readFile(join(folderOf(digest), 'manifest.json'), 'utf8').catch(() => undefined);
      if (manifest === undefined) return undefined;
      return { rootfs: join(folderOf(digest), 'rootfs'), start: (JSON.parse(manifest) as ImageConfig).start };
    },
    digests: async () => (await readdir(images)).map((name) => name.replace('sha256-', 'sha256:')).toSorted(),
  };
}

/** Neither times nor owners: only what a program could tell apart. */
type Entry = [path: string, mode: '644' | '755' | 'link', content: string];

async function contents(root: string): Promise<{ entries: Entry[]; size: number }> {
  const entries: Entry[] = [];
  let size = 0;
  for await (const { path, isLink } of walk(root)) {
    if (isLink) {
      entries.push([path, 'link', await readlink(join(root, path))]);
      continue;
    }
    const bytes = await readFile(join(root, path));
    const { mode } = await stat(join(root, path));
    size += bytes.length;
    entries.push([path, mode & 0o100 ? '755' : '644', createHash('sha256').update(bytes).digest('hex')]);
  }
  return { entries: entries.toSorted(([one], [other]) => (one < other ? -1 : 1)), size };
}

/** Every file and link under a root. Not `readdir`'s own recursion, which goes through links and so out of the tree. */
async function* walk(root: string, folder = ''): AsyncGenerator<{ path: string; isLink: boolean }> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile() || entry.isSymbolicLink()) yield { path, isLink: entry.isSymbolicLink() };
  }
}
