import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs } from './blobs.ts';
import { checkKey, checkPrefix } from './check-key.ts';

/** Blobs as files under one folder of this machine. */
export function directoryBlobs(root: string): Blobs {
  const list = async (prefix: string): Promise<string[]> => {
    const folder = checkPrefix(prefix).slice(0, prefix.lastIndexOf('/') + 1);
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(ifMissing([]));
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
      .filter((key) => key.startsWith(prefix))
      .sort();
  };

  return {
    async put(key, bytes) {
      const path = join(root, checkKey(key));
      const temporary = join(dirname(path), `.${randomUUID()}`);
      const made = await mkdir(dirname(path), { recursive: true });
      await write(temporary, bytes);
      await rename(temporary, path);
      await syncFolders(dirname(path), made ? dirname(made) : dirname(path));
    },
    async find(key) {
      return await readFile(join(root, checkKey(key))).catch(ifMissing(undefined));
    },
    list,
    async deleteAll(prefix) {
      for (const key of await list(prefix)) {
        await rm(join(root, key), { force: true });
        await removeEmptyFolders(root, dirname(key));
      }
    },
  };
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(bytes);
  await file.sync();
}

/** A name is durable when every folder from its own up to the first that existed before is. */
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
    return; // Something else is in it, or another process was quicker.
  }
  await removeEmptyFolders(root, dirname(folder));
}

function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return instead;
    throw error;
  };
}
