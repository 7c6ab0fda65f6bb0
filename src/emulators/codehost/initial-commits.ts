import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toSignature } from './accounts.ts';
import { writeCommit } from './git/commits.ts';
import { writeBlob, writeTree } from './git/trees.ts';
import type { Host } from './host.ts';
import type { Account } from './tables.ts';

/** Returns the first commit of a repository, which contains only a README. */
export const commitReadme =
  (host: Host, { name, description, author }: { name: string; description: string | null; author: Account }) =>
  async (directory: string): Promise<string> => {
    const text = description === null ? `# ${name}\n` : `# ${name}\n${description}\n`;
    const blob = await writeBlob(host.git, directory, text);
    const tree = await writeTree(host.git, directory, { changes: [{ path: 'README.md', mode: '100644', sha: blob }] });
    if (tree === undefined) throw new Error('git rejected the tree of README.md');
    return writeInitialCommit(host, directory, { tree, author });
  };

/** Returns the first commit of a repository, with the content of a folder except its ignored files. */
export const commitFolder =
  (host: Host, { sourceDir, author }: { sourceDir: string; author: Account }) =>
  async (directory: string): Promise<string> => {
    const index = { GIT_INDEX_FILE: join(directory, 'seed-index') };
    await host.git.text(directory, [`--work-tree=${sourceDir}`, '-C', sourceDir, 'add', '--all', '--', '.'], {
      env: index,
    });
    const tree = await host.git.text(directory, ['write-tree'], { env: index });
    await rm(index.GIT_INDEX_FILE, { force: true });
    return writeInitialCommit(host, directory, { tree, author });
  };

function writeInitialCommit(
  host: Host,
  directory: string,
  { tree, author }: { tree: string; author: Account },
): Promise<string> {
  const signature = toSignature(author);
  return writeCommit(host.git, directory, {
    tree,
    parents: [],
    message: 'Initial commit\n',
    author: signature,
    committer: signature,
  });
}
