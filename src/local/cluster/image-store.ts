import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How an image is run: a shell line in its root. */
export type ImageConfig = { start: string };
export type Image = { rootfs: string; start: string };

export type ImageStore = {
  /** An empty folder to build in; `keep` or `discard` ends its life. */
  workspace(): Promise<string>;
  /** Keeps a built folder under the SHA-256 of all that is in it, so that the same content is the same image. */
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

  return {
    async workspace() {
      const folder = join(building, randomUUID(), 'rootfs');
      await mkdir(folder, { recursive: true });
      return folder;
    },
    async keep(folder, config) {
      const { entries, size } = await contents(folder);
      const manifest = JSON.stringify({ ...config, entries });
      const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
      const whole = join(folder, '..');
      await writeFile(join(whole, 'manifest.json'), manifest);
      if (await stat(folderOf(digest)).catch(() => undefined)) await rm(whole, { recursive: true, force: true });
      else await rename(whole, folderOf(digest));
      return { digest, size };
    },
    discard: async (folder) => await rm(join(folder, '..'), { recursive: true, force: true }),
    async find(digest) {
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
      const manifest = await readFile(join(folderOf(digest), 'manifest.json'), 'utf8').catch(() => undefined);
      if (manifest === undefined) return undefined;
      return { rootfs: join(folderOf(digest), 'rootfs'), start: (JSON.parse(manifest) as ImageConfig).start };
    },
    digests: async () => (await readdir(images)).map((name) => name.replace('sha256-', 'sha256:')).toSorted(),
  };
}

type Entry = [path: string, mode: string, content: string];

async function contents(folder: string): Promise<{ entries: Entry[]; size: number }> {
  const paths = (await readdir(folder, { recursive: true })).toSorted();
  const entries: Entry[] = [];
  let size = 0;
  for (const path of paths) {
    const found = await lstat(join(folder, path));
    if (found.isSymbolicLink()) entries.push([path, 'link', await readlink(join(folder, path))]);
    if (!found.isFile()) continue;
    const bytes = await readFile(join(folder, path));
    size += bytes.length;
    entries.push([path, found.mode & 0o100 ? '755' : '644', createHash('sha256').update(bytes).digest('hex')]);
  }
  return { entries, size };
}

/** Lays the tree of one commit of a bare repo out in a folder. */
export async function extractCommit(repo: string, commit: string, folder: string): Promise<void> {
  const archive = join(folder, '..', 'source.tar');
  await run('git', ['--git-dir', repo, 'archive', '--format=tar', `--output=${archive}`, commit]);
  await run('tar', ['--extract', '--file', archive, '--directory', folder, '--no-same-owner']);
  await rm(archive);
}
