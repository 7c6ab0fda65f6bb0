import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type WorkDir = {
  path: string;
  /** Unique to this folder on this host, and unchanged when a later process acquires it. */
  name: string;
  release(): void;
};

/**
 * Acquires the first folder under `parent` that no other process holds, so that a process inherits the checkouts of a
 * killed one. The kernel releases SQLite's file lock however the process ends.
 */
export async function acquireWorkDir(parent: string): Promise<WorkDir> {
  for (let index = 0; ; index += 1) {
    const path = resolve(parent, String(index));
    await mkdir(path, { recursive: true });
    const lock = tryLockFile(join(path, '.lock'));
    if (!lock) continue;
    const name = createHash('sha256').update(`${hostname()}\0${path}`).digest('hex').slice(0, 8);
    return { path, name, release: () => lock.close() };
  }
}

/** Returns the lock until it is closed, or undefined while another process holds it. */
export function tryLockFile(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusyCode) return undefined;
    throw error;
  }
}

const sqliteBusyCode = 5;
