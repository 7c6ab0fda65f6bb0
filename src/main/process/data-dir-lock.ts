import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
 * Locks the data directory for this process. Two platforms on one directory would share state, and stored addresses hold
 * the port they were written with.
 */
export async function lockDataDir(folder: string, port: number): Promise<DataDirLock> {
  const file = join(folder, 'platform.json');
  const previous = await findLockOwner(file);
  if (previous && previous.pid !== process.pid && (await isPlatformProcess(previous.pid)))
    throw new Error(
      `A platform is running on ${folder} already (process ${previous.pid}, port ${previous.port}). Stop it, or pass another --data-dir.`,
    );
  if (previous && previous.port !== port)
    throw new Error(
      `The data directory ${folder} belongs to port ${previous.port}: pass --port ${previous.port}, or another --data-dir.`,
    );
  await writeFile(file, JSON.stringify({ pid: process.pid, port } satisfies LockOwner)).catch((error: Error) => {
    throw new Error(`The data directory ${folder} cannot be written (${error.message}). Pass another with --data-dir.`);
  });
  const abandon = async (): Promise<void> => await rm(file, { force: true });
  return {
    isNew: previous === undefined,
    release: async () => await writeFile(file, JSON.stringify({ pid: 0, port } satisfies LockOwner)).catch(abandon),
    abandon,
  };
}

/** Ignores a truncated file, which a process leaves when it is killed while writing. */
async function findLockOwner(file: string): Promise<LockOwner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}

/** Checks the command line too, because the kernel reuses process ids. */
async function isPlatformProcess(pid: number): Promise<boolean> {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'src/main/');
  return commandLine.includes('src/main/');
}
