import { HttpError } from './http-error.ts';
import { getAccount, toSignature } from './accounts.ts';
import { readCommits, writeCommit } from './git/commits.ts';
import { mergeTrees, rebase } from './git/merges.ts';
import { isAncestor, listCommitsBetween, updateRef } from './git/revisions.ts';
import type { Host } from './host.ts';
import { appliesToAdmins } from './protection/branch-rules.ts';
import { assertNoCiFiles } from './protection/ci-files.ts';
import { findMergeViolation, readPullRequirements } from './protection/merge-state.ts';
import { scheduleMergeabilityCheck } from './schedule-mergeability-check.ts';
import { runPostReceive } from './post-receive.ts';
import { readMergeability } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { findBranchSha } from './repositories.ts';
import type { Account, Repository } from './tables.ts';

export type MergeOptions = {
  method: 'merge' | 'squash' | 'rebase';
  title: string | undefined;
  message: string | undefined;
  sha: string | undefined;
  sender: Account;
  mayChangeCiFiles: boolean;
};

const baseModified = (): HttpError => new HttpError(405, 'Base branch was modified. Review and try the merge again.');
const notMergeable = (): HttpError => new HttpError(405, 'Pull Request is not mergeable');

/**
 * Returns the merge commit. Its sha is saved before the base branch moves, so a crash in between is recognized as a merge.
 * The caller must hold the repository's lock, and `baseSha` must predate it so that concurrent merges fail as on GitHub.
 */
export async function mergePull(
  host: Host,
  repository: Repository,
  { request, options, baseSha }: { request: PullRequest; options: MergeOptions; baseSha: string | undefined },
): Promise<string> {
  const { pull, issue } = request;
  if (issue.state === 'closed' || pull.draft === 1) throw notMergeable();
  if (options.sha !== undefined && options.sha !== pull.headSha)
    throw new HttpError(409, 'Head branch was modified. Review and try the merge again.');
  const base = findBranchSha(host, repository.id, pull.baseRef);
  if (base === undefined || base !== baseSha) {
    scheduleMergeabilityCheck(host, repository, pull.id);
    throw baseModified();
  }
  if (readMergeability(host, repository, request) === false) throw notMergeable();
  if (!options.mayChangeCiFiles) await assertNoCiFiles(host, repository, { base, head: pull.headSha });
  await assertRulesPassed(host, repository, { request, options, base });

  const commit = await writeMergeCommit(host, repository, { request, options, base });
  host.database.update('pulls', pull.id, { pendingMergeSha: commit, pendingMergeById: options.sender.id });
  const moved = await updateRef(host.git, host.directory(repository), {
    ref: `refs/heads/${pull.baseRef}`,
    from: base,
    to: commit,
  });
  if (!moved) throw baseModified();
  await runPostReceive(host, repository.id, options.sender);
  return commit;
}

type MergePlan = { request: PullRequest; options: MergeOptions; base: string };

/** The owner of the machine is an administrator, whom a branch protection rule may leave out. */
async function assertRulesPassed(host: Host, repository: Repository, { request, options, base }: MergePlan) {
  const { pull } = request;
  const branch = { repositoryId: repository.id, name: pull.baseRef };
  if (options.sender.id === host.owner.id && !appliesToAdmins(host, branch)) return;
  const violation = findMergeViolation(host, repository, request);
  if (violation !== undefined) throw new HttpError(405, violation);
  if (!readPullRequirements(host, request).strict) return;
  const commits = { ancestor: base, descendant: pull.headSha };
  if (!(await isAncestor(host.git, host.directory(repository), commits)))
    throw new HttpError(405, 'Head branch is out of date. Review and try the merge again.');
}

async function writeMergeCommit(host: Host, repository: Repository, plan: MergePlan): Promise<string> {
  const { options, base, request } = plan;
  const directory = host.directory(repository);
  const committer = toSignature(options.sender);
  const head = request.pull.headSha;
  if (options.method === 'rebase') {
    const rebased = await rebase(host.git, directory, { base, head, committer });
    if (rebased === undefined) throw new HttpError(405, "This branch can't be rebased");
    return rebased;
  }
  const tree = await mergeTrees(host.git, directory, [base, head]);
  if (tree === undefined) throw notMergeable();
  const author = toSignature(options.method === 'squash' ? getAccount(host, request.issue.authorId) : options.sender);
  const parents = options.method === 'squash' ? [base] : [base, head];
  return writeCommit(host.git, directory, {
    tree,
    parents,
    message: await buildMergeMessage(host, repository, plan),
    author,
    committer,
  });
}

async function buildMergeMessage(
  host: Host,
  repository: Repository,
  { request: { issue, pull }, options, base }: MergePlan,
): Promise<string> {
  const squash = options.method === 'squash';
  const title =
    options.title ??
    (squash
      ? `${issue.title} (#${issue.number})`
      : `Merge pull request #${issue.number} from ${repository.owner}/${pull.headRef}`);
  const text =
    options.message ??
    (squash ? await readSquashedMessages(host, repository, { base, head: pull.headSha }) : issue.title);
  return text === '' ? `${title}\n` : `${title}\n\n${text}\n`;
}

/** Returns the body of a single commit, or a list of all messages. */
async function readSquashedMessages(
  host: Host,
  repository: Repository,
  range: { base: string; head: string },
): Promise<string> {
  const directory = host.directory(repository);
  const commits = await readCommits(host.git, directory, await listCommitsBetween(host.git, directory, range));
  const messages = commits.filter(({ parents }) => parents.length < 2).map(({ message }) => message);
  if (messages.length > 1) return messages.map((message) => `* ${message}`).join('\n\n');
  return (messages[0] ?? '').split('\n').slice(1).join('\n').trim();
}
