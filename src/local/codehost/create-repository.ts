import { mkdir, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { writeCommit } from './git/commits.ts';
import { writeBlob, writeTree } from './git/trees.ts';
import { signatureOf } from './accounts.ts';
import type { Host } from './host.ts';
import { noteRefChanges } from './note-ref-changes.ts';
import { findRepository, repositoryById } from './repositories.ts';
import type { Account, Repository } from './rows.ts';
import { hostTime } from './times.ts';

export type NewRepository = {
  owner: Account;
  name: string;
  private: boolean;
  description: string | null;
  sender: Account;
  /** Makes the first commit on the default branch in the bare repository and answers it. */
  firstCommit?: (directory: string) => Promise<string>;
};

/** Undefined when there is one of that name; the git repository is complete before the database knows of it. */
export function createRepository(
  host: Host,
  { owner, name, sender, firstCommit, ...rest }: NewRepository,
): Promise<Repository | undefined> {
  return host.exclusively(`create/${owner.login}/${name}`.toLowerCase(), async () => {
    if (findRepository(host, owner.login, name) !== undefined) return undefined;
    const directory = host.directory({ owner: owner.login, name });
    const draft = join(host.dataDir, 'repos', `.new-${randomUUID()}`);
    await host.git.text(draft, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
    const commit = await firstCommit?.(draft);
    if (commit !== undefined) await host.git.text(draft, ['update-ref', '--', 'refs/heads/main', commit]);
    await mkdir(dirname(directory), { recursive: true });
    // What lies there without a row is from a death between the next two steps.
    await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);

    const now = hostTime();
    const row = {
      ownerId: owner.id,
      name,
      private: rest.private ? 1 : 0,
      description: rest.description,
      defaultBranch: 'main',
    };
    const id = host.database.insert('repositories', { ...row, createdAt: now, updatedAt: now, pushedAt: now });
    await host.exclusively(id, () => noteRefChanges(host, id, sender));
    return repositoryById(host, id);
  });
}

/** A commit of a read-me alone. */
export const readMeCommit =
  (host: Host, { name, description, author }: { name: string; description: string | null; author: Account }) =>
  async (directory: string): Promise<string> => {
    const text = description === null ? `# ${name}\n` : `# ${name}\n${description}\n`;
    const blob = await writeBlob(host.git, directory, text);
    const tree = await writeTree(host.git, directory, { changes: [{ path: 'README.md', mode: '100644', sha: blob }] });
    if (tree === undefined) throw new Error('git refused a read-me');
    const signature = signatureOf(author);
    return writeCommit(host.git, directory, {
      tree,
      parents: [],
      message: 'Initial commit\n',
      author: signature,
      committer: signature,
    });
  };

/** A commit of a folder as it is, without what its .gitignore names. */
export const folderCommit =
  (host: Host, { sourceDir, author }: { sourceDir: string; author: Account }) =>
  async (directory: string): Promise<string> => {
    const index = { GIT_INDEX_FILE: join(directory, 'seed-index') };
    await host.git.text(directory, [`--work-tree=${sourceDir}`, '-C', sourceDir, 'add', '--all', '--', '.'], {
      env: index,
    });
    const tree = await host.git.text(directory, ['write-tree'], { env: index });
    await rm(index.GIT_INDEX_FILE, { force: true });
    const signature = signatureOf(author);
    return writeCommit(host.git, directory, {
      tree,
      parents: [],
      message: 'Initial commit\n',
      author: signature,
      committer: signature,
    });
  };
