import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { measureBytes } from '../../processes/disk-meter.ts';

/** The limit of the caches of all repos together. */
const defaultBytesMax = 10 * 1024 ** 3;

type Cache = { folder: string; usedAt: number; bytes: number };

/** Makes a cache the newest for the pruner. */
export async function markAsUsed(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}

/** Removes the caches that were used longest ago and do not fit in `bytesMax` with the newer ones. No build may run. */
export function createCachePruner(folders: readonly string[], bytesMax = defaultBytesMax): () => Promise<void> {
  // A cache that no build has used since is not measured again.
  let measured = new Map<string, Cache>();
  return async () => {
    const caches: Cache[] = [];
    for (const folder of (await Promise.all(folders.map(listFolders))).flat()) {
      const usedAt = (await stat(folder)).mtimeMs;
      const known = measured.get(folder);
      caches.push(known?.usedAt === usedAt ? known : { folder, usedAt, bytes: await measureBytes(folder) });
    }
    measured = new Map(caches.map((cache) => [cache.folder, cache]));
    let used = 0;
    for (const { folder, bytes } of caches.toSorted((one, other) => other.usedAt - one.usedAt)) {
      if (used + bytes > bytesMax) await rm(folder, { recursive: true, force: true });
      else used += bytes;
    }
  };
}

async function listFolders(parent: string): Promise<string[]> {
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.map((name) => join(parent, name));
}
