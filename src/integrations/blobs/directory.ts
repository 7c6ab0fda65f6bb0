import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs } from './blobs.ts';
import { assertBlobKey, assertBlobPrefix, isBlobKey } from './assert-blob-key.ts';

/** Stores blobs as files in one folder of this machine. */
export function directoryBlobs(root: string): Blobs {
  const list = async (prefix: string): Promise<string[]> => {
    const folder = assertBlobPrefix(prefix).slice(0, prefix.lastIndexOf('/') + 1);
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(orIfMissing([]));
    // The folder may also hold files of people and tools, and those that are being written.
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
      .filter((key) => key.startsWith(prefix) && isBlobKey(key))
      .sort();
  };

  return {
    async put(key, bytes) {
      const path = join(root, assertBlobKey(key));
      const temporary = join(dirname(path), `.${randomUUID()}`);
      const firstCreated = await mkdir(dirname(path), { recursive: true });
      try {
        await writeDurably(temporary, bytes);
        await rename(temporary, path);
      } catch (error) {
        // The part that was written would stay on a full disk, and nothing lists it.
        await rm(temporary, { force: true });
        throw error;
      }
      await syncFolders(dirname(path), firstCreated ? dirname(firstCreated) : dirname(path));
    },
    async find(key) {
      return await readFile(join(root, assertBlobKey(key))).catch(orIfMissing(undefined));
    },
    list,
    async deletePrefix(prefix, { writtenBefore } = {}) {
      for (const key of await list(prefix)) {
        const written = writtenBefore && (await stat(join(root, key)).catch(orIfMissing(undefined)));
        if (written && writtenBefore && written.mtime >= writtenBefore) continue;
        await rm(join(root, key), { force: true });
        await removeEmptyFolders(root, dirname(key));
      }
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(bytes);
  await file.sync();
}

/** A new file is durable once every folder up to the first existing one is synced. */
async function syncFolders(folder: string, last: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
  if (folder !== last && folder.length > last.length) await syncFolders(dirname(folder), last);
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === '.') return;
  try {
    await rmdir(join(root, folder));
  } catch {
    return; // The folder is not empty, or another process has removed it.
  }
  await removeEmptyFolders(root, dirname(folder));
}

function orIfMissing<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return fallback;
    throw error;
  };
}
