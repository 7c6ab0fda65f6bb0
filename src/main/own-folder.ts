import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type OwnFolder = {
  path: string;
  /** The same for whoever has the folder next, and for no other folder of any host. */
  name: string;
  release(): void;
};

/**
 * The first folder under `parent` that no other process has: one that was killed leaves its own, with all that is in
 * it, to the next. Files that are locked by SQLite are let go of by the kernel, however their process ends.
 */
export async function takeOwnFolder(parent: string): Promise<OwnFolder> {
  for (let index = 0; ; index += 1) {
    const path = resolve(parent, String(index));
    await mkdir(path, { recursive: true });
    const lock = lockFile(join(path, '.lock'));
    if (!lock) continue;
    const name = createHash('sha256').update(`${hostname()}\0${path}`).digest('hex').slice(0, 8);
    return { path, name, release: () => lock.close() };
  }
}

function lockFile(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;
