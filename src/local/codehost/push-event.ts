import { accountOfEmail, accountShape, signatureOf } from './accounts.ts';
import { readCommit, readCommits } from './git/commits.ts';
import type { Commit, Signature } from './git/commits.ts';
import { isAncestor, noSha, objectType } from './git/revisions.ts';
import type { Host } from './host.ts';
import { branchSha, repositoryUrl } from './repositories.ts';
import type { Account, Repository } from './rows.ts';

/** A branch or tag that is somewhere else than it was; undefined is nowhere. */
export type RefChange = { ref: string; before: string | undefined; after: string | undefined };

/** As many as the real host lists. */
const commitsMax = 2048;

/** The body of a `push` event, as far as it is about git. */
export async function pushPayload(
  host: Host,
  repository: Repository,
  { change, sender }: { change: RefChange; sender: Account },
): Promise<Record<string, unknown>> {
  const { ref, before, after } = change;
  const directory = host.directory(repository);
  const html = repositoryUrl(host, repository);
  const branch = ref.startsWith('refs/heads/');
  const head = after === undefined ? undefined : await readHead(host, directory, after);
  const commits =
    head === undefined || !branch ? [] : await newCommits(host, repository, { ref, before, after: head.sha });
  const forced =
    branch &&
    before !== undefined &&
    after !== undefined &&
    !(await isAncestor(host.git, directory, { ancestor: before, of: after }));
  return {
    ref,
    before: before ?? noSha,
    after: after ?? noSha,
    created: before === undefined,
    deleted: after === undefined,
    forced,
    base_ref: null,
    compare:
      before === undefined || after === undefined
        ? `${html}/commits/${ref.split('/').slice(2).join('/')}`
        : `${html}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: commits.map((commit) => commitPayload(host, html, commit)),
    head_commit:
      head === undefined
        ? null
        : commitPayload(host, html, { ...head, files: await changedFiles(host, directory, head.sha) }),
    pusher: { name: sender.login, email: signatureOf(sender).email },
  };
}

/** A tag may name something that is no commit. */
async function readHead({ git }: Host, directory: string, sha: string): Promise<Commit | undefined> {
  const { status, stdout } = await git.attempt(directory, ['rev-parse', '--verify', '--quiet', `${sha}^{commit}`]);
  return status === 0 ? readCommit(git, directory, stdout.toString().trim()) : undefined;
}

async function newCommits(
  host: Host,
  repository: Repository,
  { ref, before, after }: { ref: string; before: string | undefined; after: string },
): Promise<ChangedCommit[]> {
  const directory = host.directory(repository);
  const known =
    before ??
    (ref === `refs/heads/${repository.defaultBranch}`
      ? undefined
      : branchSha(host, repository.id, repository.defaultBranch));
  const knownHere = known !== undefined && (await objectType(host.git, directory, known)) === 'commit';
  const args = ['rev-list', `--max-count=${commitsMax}`, after, ...(knownHere ? [`^${known}`] : [])];
  const shas = (await host.git.text(directory, args)).split('\n').filter(Boolean).reverse();
  const commits = await readCommits(host.git, directory, shas);
  const files = await filesOfCommits(host, directory, shas);
  return commits.map((commit) => ({ ...commit, files: files.get(commit.sha) ?? noFiles }));
}

type ChangedFiles = { added: string[]; removed: string[]; modified: string[] };
type ChangedCommit = Commit & { files: ChangedFiles };
const noFiles: ChangedFiles = { added: [], removed: [], modified: [] };

const changedFiles = async (host: Host, directory: string, sha: string): Promise<ChangedFiles> =>
  (await filesOfCommits(host, directory, [sha])).get(sha) ?? noFiles;

async function filesOfCommits({ git }: Host, directory: string, shas: string[]): Promise<Map<string, ChangedFiles>> {
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

function commitPayload(host: Host, html: string, { sha, tree, message, author, committer, files }: ChangedCommit) {
  const person = ({ name, email, date }: Signature) => {
    const account = accountOfEmail(host, email);
    return { name, email, date, ...(account === undefined ? {} : { username: accountShape(host, account).login }) };
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
