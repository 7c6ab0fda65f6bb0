import { Failure, notFound } from './failure.ts';
import { readCommit, writeCommit } from './git/commits.ts';
import type { Commit, Signature } from './git/commits.ts';
import { moveRef, noSha } from './git/revisions.ts';
import { readTree, writeBlob, writeTree } from './git/trees.ts';
import type { Host } from './host.ts';
import { isPath } from './names.ts';
import { noteRefChanges } from './note-ref-changes.ts';
import { branchSha } from './repositories.ts';
import type { Account, Repository } from './rows.ts';

export type FileChange = {
  path: string;
  /** Null takes the file away. */
  content: Buffer | null;
  message: string;
  branch: string;
  /** The blob that the caller saw there. */
  sha: string | undefined;
  author: Signature;
  committer: Signature;
  sender: Account;
};

export type CommittedFile = { created: boolean; commit: Commit };

const malformed = (): Failure => new Failure(422, 'path contains a malformed path component');

/** Commits one file on a branch, or the first file of all on the default branch. */
export function commitFile(host: Host, repository: Repository, change: FileChange): Promise<CommittedFile> {
  if (!isPath(change.path)) throw malformed();
  return host.exclusively(repository.id, async () => {
    const { path, branch, sender } = change;
    const directory = host.directory(repository);
    const base = branchSha(host, repository.id, branch);
    if (base === undefined && branch !== repository.defaultBranch) throw new Failure(404, `Branch ${branch} not found`);
    const [before] = base === undefined ? [] : await readTree(host.git, directory, { treeish: base, path });
    if (change.content === null && before === undefined) throw notFound();
    mustMatch(path, change.sha, before?.sha);

    const mode = before?.type === 'blob' ? before.mode : '100644';
    const sha = await writeChange(host, directory, { change, base, mode });
    const moved = await moveRef(host.git, directory, { ref: `refs/heads/${branch}`, from: base ?? noSha, to: sha });
    if (!moved) throw new Failure(409, `${branch} is not at ${base ?? noSha} any more`);
    await noteRefChanges(host, repository.id, sender);
    return { created: before === undefined, commit: await readCommit(host.git, directory, sha) };
  });
}

function mustMatch(path: string, given: string | undefined, found: string | undefined): void {
  if (found !== undefined && given === undefined) throw new Failure(422, `Invalid request.\n\n"sha" wasn't supplied.`);
  if (given !== undefined && given !== found) throw new Failure(409, `${path} does not match ${given}`);
}

type Write = { change: FileChange; base: string | undefined; mode: string };

async function writeChange(host: Host, directory: string, { change, base, mode }: Write): Promise<string> {
  const { path, content, message, author, committer } = change;
  const blob = content === null ? null : await writeBlob(host.git, directory, content);
  const changes = [{ path, mode, sha: blob }];
  const tree = await writeTree(host.git, directory, { changes, ...(base === undefined ? {} : { base }) });
  if (tree === undefined) throw malformed();
  const parents = base === undefined ? [] : [base];
  return writeCommit(host.git, directory, { tree, parents, message, author, committer });
}
