import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLockFile } from './work-dir-lock.ts';

type LockOwner = { pid: number; port: number };

export type DataDirLock = {
  /** False when a platform has used the directory before, so that its stored addresses hold the port. */
  isNew: boolean;
  /** Unlocks the directory, which then belongs to the port. */
  release(): Promise<void>;
  /** Unlocks a new directory in which nothing was stored, so that it belongs to no port. */
  abandon(): Promise<void>;
};

/**
 * Locks the data directory for this process, in the kernel, which unlocks it however the process ends. Two platforms on one
 * directory would share state, and stored addresses hold the port they were written with.
 */
export async function lockDataDir(folder: string, port: number): Promise<DataDirLock> {
  const file = join(folder, 'platform.json');
  const lock = await explainUnwritable(folder, async () => tryLockFile(join(folder, '.lock')));
  const previous = await findLockOwner(file);
  if (!lock) {
    const owner = previous && previous.pid > 0 ? ` (process ${previous.pid}, port ${previous.port})` : '';
    throw new Error(`A platform is running on ${folder} already${owner}. Stop it, or pass another --data-dir.`);
  }
  const save = async (owner: LockOwner): Promise<void> => await writeFile(file, JSON.stringify(owner));
  const unlock = async (end: () => Promise<void>): Promise<void> => {
    await end();
    lock.close();
  };
  const abandon = async (): Promise<void> => await rm(file, { force: true });
  try {
    if (previous && previous.port !== port)
      throw new Error(
        `The data directory ${folder} belongs to port ${previous.port}: pass --port ${previous.port}, or another --data-dir.`,
      );
    await explainUnwritable(folder, async () => await save({ pid: process.pid, port }));
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    isNew: previous === undefined,
    release: async () => await unlock(async () => await save({ pid: 0, port }).catch(abandon)),
    abandon: async () => await unlock(abandon),
  };
}

async function explainUnwritable<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new Error(
      `The data directory ${folder} cannot be written (${(error as Error).message}). Pass another with --data-dir.`,
    );
  }
}

/** Ignores a truncated file, which a process leaves when it is killed while writing. */
async function findLockOwner(file: string): Promise<LockOwner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}
