import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Host } from './host.ts';
import { runPostReceive } from './post-receive.ts';
import { findRepository, getRepository } from './repositories.ts';
import type { Account, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

export type NewRepository = {
  owner: Account;
  name: string;
  private: boolean;
  description: string | null;
  sender: Account;
  /** Creates the first commit of the default branch in the bare repository and returns its sha. */
  firstCommit?: (directory: string) => Promise<string>;
};

/** Returns undefined when the name is taken. The git repository is complete before the database contains it. */
export function createRepository(
  host: Host,
  { owner, name, sender, firstCommit, ...rest }: NewRepository,
): Promise<Repository | undefined> {
  return host.runExclusive(`create/${owner.login}/${name}`.toLowerCase(), async () => {
    if (findRepository(host, owner.login, name) !== undefined) return undefined;
    const directory = host.directory({ owner: owner.login, name });
    const draft = join(host.dataDir, 'repos', `.new-${randomUUID()}`);
    await host.git.text(draft, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
    const commit = await firstCommit?.(draft);
    if (commit !== undefined) await host.git.text(draft, ['update-ref', '--', 'refs/heads/main', commit]);
    await mkdir(dirname(directory), { recursive: true });
    // A folder without a row is left from a crash between the next two steps.
    await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);

    const now = formatTimestamp();
    const row = {
      ownerId: owner.id,
      name,
      private: rest.private ? 1 : 0,
      description: rest.description,
      defaultBranch: 'main',
    };
    const id = host.database.insert('repositories', { ...row, createdAt: now, updatedAt: now, pushedAt: now });
    await host.runExclusive(id, () => runPostReceive(host, id, sender));
    return getRepository(host, id);
  });
}
