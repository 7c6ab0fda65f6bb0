import { join } from 'node:path';
import type { Database } from './database.ts';
import type { Git } from './git/git.ts';
import type { Account, Repository } from './rows.ts';

/** What every part of the stand-in works with. */
export type Host = {
  url: string;
  apiUrl: string;
  dataDir: string;
  database: Database;
  git: Git;
  /** The machine's owner: whom the user token speaks for. */
  owner: Account;
  userToken: string;
  directory(repository: Pick<Repository, 'owner' | 'name'>): string;
  /** Runs one piece of work at a time for each key, in the order they came. */
  exclusively<Result>(key: number | string, work: () => Promise<Result>): Promise<Result>;
  /** Work that nobody waits for: `close` does, and its faults are logged. */
  inBackground(work: Promise<unknown>): void;
  /** Aborted by `close`. */
  closing: AbortSignal;
  log(line: string): void;
};

export const repositoryDirectory = (dataDir: string, { owner, name }: Pick<Repository, 'owner' | 'name'>): string =>
  join(dataDir, 'repos', owner, `${name}.git`);
