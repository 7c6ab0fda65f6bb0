import { HttpError, notFound } from './http-error.ts';
import { readCommit, writeCommit } from './git/commits.ts';
import type { Commit, Signature } from './git/commits.ts';
import { updateRef, zeroSha } from './git/revisions.ts';
import { readTree, writeBlob, writeTree } from './git/trees.ts';
import type { Host } from './host.ts';
import { isPath } from './names.ts';
import { runPostReceive } from './post-receive.ts';
import { findBranchSha } from './repositories.ts';
import type { Account, Repository } from './tables.ts';

export type FileChange = {
  path: string;
  /** Null deletes the file. */
  content: Buffer | null;
  message: string;
  branch: string;
  /** The blob that the caller expects at the path. */
  sha: string | undefined;
  author: Signature;
  committer: Signature;
  sender: Account;
};

export type CommittedFile = { created: boolean; commit: Commit };

const malformedPath = (): HttpError => new HttpError(422, 'path contains a malformed path component');

/** Commits one file to a branch. In an empty repository this creates the default branch. */
export function commitFile(host: Host, repository: Repository, change: FileChange): Promise<CommittedFile> {
  if (!isPath(change.path)) throw malformedPath();
  return host.runExclusive(repository.id, async () => {
    const { path, branch, sender } = change;
    const directory = host.directory(repository);
    const base = findBranchSha(host, repository.id, branch);
    if (base === undefined && branch !== repository.defaultBranch)
      throw new HttpError(404, `Branch ${branch} not found`);
    const [before] = base === undefined ? [] : await readTree(host.git, directory, { treeish: base, path });
    if (change.content === null && before === undefined) throw notFound();
    assertBlobSha(path, change.sha, before?.sha);

    const mode = before?.type === 'blob' ? before.mode : '100644';
    const sha = await writeFileCommit(host, directory, { change, base, mode });
    const moved = await updateRef(host.git, directory, { ref: `refs/heads/${branch}`, from: base ?? zeroSha, to: sha });
    if (!moved) throw new HttpError(409, `${branch} no longer points to ${base ?? zeroSha}`);
    await runPostReceive(host, repository.id, sender);
    return { created: before === undefined, commit: await readCommit(host.git, directory, sha) };
  });
}

function assertBlobSha(path: string, expected: string | undefined, found: string | undefined): void {
  if (found !== undefined && expected === undefined)
    throw new HttpError(422, `Invalid request.\n\n"sha" wasn't supplied.`);
  if (expected !== undefined && expected !== found) throw new HttpError(409, `${path} does not match ${expected}`);
}

type FileCommit = { change: FileChange; base: string | undefined; mode: string };

async function writeFileCommit(host: Host, directory: string, { change, base, mode }: FileCommit): Promise<string> {
  const { path, content, message, author, committer } = change;
  const blob = content === null ? null : await writeBlob(host.git, directory, content);
  const changes = [{ path, mode, sha: blob }];
  const tree = await writeTree(host.git, directory, { changes, ...(base === undefined ? {} : { base }) });
  if (tree === undefined) throw malformedPath();
  const parents = base === undefined ? [] : [base];
  return writeCommit(host.git, directory, { tree, parents, message, author, committer });
}
