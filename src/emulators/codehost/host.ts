import { join } from 'node:path';
import type { AppKeys } from './app-keys.ts';
import type { Database } from './database.ts';
import type { Git } from './git/git.ts';
import type { Account, Repository } from './tables.ts';

/** The shared state of the emulator, passed to every function. */
export type Host = {
  url: string;
  apiUrl: string;
  dataDir: string;
  database: Database;
  git: Git;
  /** The user token authenticates this account. */
  owner: Account;
  userToken: string;
  createAppKeys(): Promise<AppKeys>;
  directory(repository: Pick<Repository, 'owner' | 'name'>): string;
  /** Runs one task at a time per key, in order of arrival. */
  runExclusive<Result>(key: number | string, work: () => Promise<Result>): Promise<Result>;
  /** Runs a task that no request awaits. Its errors are logged, and `close` waits for it. */
  runInBackground(work: Promise<unknown>): void;
  /** Aborted by `close`. */
  closing: AbortSignal;
  log(line: string): void;
};

export const toRepositoryDirectory = (dataDir: string, { owner, name }: Pick<Repository, 'owner' | 'name'>): string =>
  join(dataDir, 'repos', owner, `${name}.git`);
