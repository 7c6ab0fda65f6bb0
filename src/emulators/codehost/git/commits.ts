import { formatTimestamp } from '../format-timestamp.ts';
import type { Git } from './git.ts';

export type Signature = { name: string; email: string; date: string };
export type Commit = {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
};

const logFormat = '%H%n%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B%x00';

/** Returns one commit per sha, in the order of the shas. */
export async function readCommits(git: Git, directory: string, shas: string[]): Promise<Commit[]> {
  if (shas.length === 0) return [];
  const args = ['log', '--no-walk=unsorted', '--stdin', '--encoding=UTF-8', `--format=${logFormat}`];
  const text = await git.text(directory, args, { input: `${shas.join('\n')}\n` });
  // Git prints each commit once, even if its sha is repeated.
  const commits = text
    .split('\0')
    .map((block) => block.replace(/^\n/, ''))
    .filter(Boolean)
    .map(parseCommit);
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  return shas.flatMap((sha) => bySha.get(sha) ?? []);
}

export async function readCommit(git: Git, directory: string, sha: string): Promise<Commit> {
  const [commit] = await readCommits(git, directory, [sha]);
  if (commit === undefined) throw new Error(`no commit ${sha} in ${directory}`);
  return commit;
}

function parseCommit(block: string): Commit {
  const [
    sha = '',
    tree = '',
    parents = '',
    name = '',
    email = '',
    date = '',
    committerName = '',
    committerEmail = '',
    committerDate = '',
    ...message
  ] = block.split('\n');
  return {
    sha,
    tree,
    parents: parents.split(' ').filter(Boolean),
    author: { name, email, date: formatTimestamp(date) },
    committer: { name: committerName, email: committerEmail, date: formatTimestamp(committerDate) },
    message: message.join('\n').trimEnd(),
  };
}

export type NewCommit = { tree: string; parents: string[]; message: string; author: Signature; committer: Signature };

export function writeCommit(
  git: Git,
  directory: string,
  { tree, parents, message, author, committer }: NewCommit,
): Promise<string> {
  return git.text(directory, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
    input: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: author.date,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: committer.date,
    },
  });
}
