import { findAccountByEmail, toAccountJson, toSignature } from './accounts.ts';
import { readCommit, readCommits } from './git/commits.ts';
import type { Commit, Signature } from './git/commits.ts';
import { isAncestor, zeroSha, findObjectType } from './git/revisions.ts';
import type { Host } from './host.ts';
import { findBranchSha, repositoryUrl } from './repositories.ts';
import type { Account, Repository } from './tables.ts';

/** The old and the new commit of a branch or tag; undefined means that the ref does not exist. */
export type RefChange = { ref: string; before: string | undefined; after: string | undefined };

/** The git part of a `push` event. */
export type PushPayload = Record<string, unknown> & {
  ref: string;
  before: string;
  after: string;
  created: boolean;
  deleted: boolean;
  forced: boolean;
};

/** GitHub lists at most this many commits. */
const commitsMax = 2048;

/** Creates the git part of a `push` event; the webhook adds the repository and the sender. */
export async function createPushPayload(
  host: Host,
  repository: Repository,
  { change, sender }: { change: RefChange; sender: Account },
): Promise<PushPayload> {
  const { ref, before, after } = change;
  const directory = host.directory(repository);
  const html = repositoryUrl(host, repository);
  const branch = ref.startsWith('refs/heads/');
  const head = after === undefined ? undefined : await readHeadCommit(host, directory, after);
  const commits =
    head === undefined || !branch ? [] : await listNewCommits(host, repository, { ref, before, after: head.sha });
  const forced =
    branch &&
    before !== undefined &&
    after !== undefined &&
    !(await isAncestor(host.git, directory, { ancestor: before, descendant: after }));
  return {
    ref,
    before: before ?? zeroSha,
    after: after ?? zeroSha,
    created: before === undefined,
    deleted: after === undefined,
    forced,
    base_ref: null,
    compare:
      before === undefined || after === undefined
        ? `${html}/commits/${ref.split('/').slice(2).join('/')}`
        : `${html}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: commits.map((commit) => toCommitPayload(host, html, commit)),
    head_commit:
      head === undefined
        ? null
        : toCommitPayload(host, html, { ...head, files: await readChangedFiles(host, directory, head.sha) }),
    pusher: { name: sender.login, email: toSignature(sender).email },
  };
}

/** Returns undefined for a tag of an object other than a commit. */
async function readHeadCommit({ git }: Host, directory: string, sha: string): Promise<Commit | undefined> {
  const { status, stdout } = await git.attempt(directory, ['rev-parse', '--verify', '--quiet', `${sha}^{commit}`]);
  return status === 0 ? readCommit(git, directory, stdout.toString().trim()) : undefined;
}

async function listNewCommits(
  host: Host,
  repository: Repository,
  { ref, before, after }: { ref: string; before: string | undefined; after: string },
): Promise<ChangedCommit[]> {
  const directory = host.directory(repository);
  const known =
    before ??
    (ref === `refs/heads/${repository.defaultBranch}`
      ? undefined
      : findBranchSha(host, repository.id, repository.defaultBranch));
  const isKnownCommit = known !== undefined && (await findObjectType(host.git, directory, known)) === 'commit';
  const args = ['rev-list', `--max-count=${commitsMax}`, after, ...(isKnownCommit ? [`^${known}`] : [])];
  const shas = (await host.git.text(directory, args)).split('\n').filter(Boolean).reverse();
  const commits = await readCommits(host.git, directory, shas);
  const files = await readFilesByCommit(host, directory, shas);
  return commits.map((commit) => ({ ...commit, files: files.get(commit.sha) ?? noFiles }));
}

type ChangedFiles = { added: string[]; removed: string[]; modified: string[] };
type ChangedCommit = Commit & { files: ChangedFiles };
const noFiles: ChangedFiles = { added: [], removed: [], modified: [] };

const readChangedFiles = async (host: Host, directory: string, sha: string): Promise<ChangedFiles> =>
  (await readFilesByCommit(host, directory, [sha])).get(sha) ?? noFiles;

async function readFilesByCommit({ git }: Host, directory: string, shas: string[]): Promise<Map<string, ChangedFiles>> {
  if (shas.length === 0) return new Map();
  const args = ['diff-tree', '--stdin', '--root', '-r', '-z', '--no-renames', '--name-status', '--format=%H'];
  const fields = (await git.text(directory, args, { input: `${shas.join('\n')}\n` })).split('\0');
  const files = new Map<string, ChangedFiles>();
  let current: ChangedFiles = { added: [], removed: [], modified: [] };
  for (let at = 0; at < fields.length;) {
    const field = (fields[at] ?? '').trim();
    if (/^[0-9a-f]{40}$/.test(field)) {
      current = { added: [], removed: [], modified: [] };
      files.set(field, current);
      at += 1;
    } else {
      const list = field === 'A' ? current.added : field === 'D' ? current.removed : current.modified;
      if (field !== '') list.push(fields[at + 1] ?? '');
      at += field === '' ? 1 : 2;
    }
  }
  return files;
}

function toCommitPayload(host: Host, html: string, { sha, tree, message, author, committer, files }: ChangedCommit) {
  const person = ({ name, email, date }: Signature) => {
    const account = findAccountByEmail(host, email);
    return { name, email, date, ...(account === undefined ? {} : { username: toAccountJson(host, account).login }) };
  };
  return {
    id: sha,
    tree_id: tree,
    distinct: true,
    message,
    timestamp: committer.date,
    url: `${html}/commit/${sha}`,
    author: person(author),
    committer: person(committer),
    ...files,
  };
}
