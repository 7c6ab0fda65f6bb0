import { Failure } from './failure.ts';
import { accountById, signatureOf } from './accounts.ts';
import { readCommits, writeCommit } from './git/commits.ts';
import { mergeTrees, rebase } from './git/merges.ts';
import { commitsBetween, moveRef } from './git/revisions.ts';
import type { Host } from './host.ts';
import { judgeSoon } from './judge-mergeability.ts';
import { noteRefChanges } from './note-ref-changes.ts';
import { mergeability } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { branchSha } from './repositories.ts';
import type { Account, Repository } from './rows.ts';

export type MergeOrder = {
  method: 'merge' | 'squash' | 'rebase';
  title: string | undefined;
  message: string | undefined;
  sha: string | undefined;
  sender: Account;
};

const baseModified = (): Failure => new Failure(405, 'Base branch was modified. Review and try the merge again.');
const notMergeable = (): Failure => new Failure(405, 'Pull Request is not mergeable');

/**
 * Answers the merge commit; `baseSha` is the base as the caller found it: whoever merges at the same time as others is
 * refused, as on the real host. Its sha is written down before the base moves: whoever finds it on the base knows that the
 * merge happened. To be called while no one else works on the repository.
 */
export async function mergePull(
  host: Host,
  repository: Repository,
  { request, order, baseSha }: { request: PullRequest; order: MergeOrder; baseSha: string | undefined },
): Promise<string> {
  const { pull, issue } = request;
  if (issue.state === 'closed' || pull.draft === 1) throw notMergeable();
  if (order.sha !== undefined && order.sha !== pull.headSha)
    throw new Failure(409, 'Head branch was modified. Review and try the merge again.');
  const base = branchSha(host, repository.id, pull.baseRef);
  if (base === undefined || base !== baseSha) {
    judgeSoon(host, repository, pull.id);
    throw baseModified();
  }
  if (mergeability(host, repository, request) === false) throw notMergeable();

  const commit = await writeMerge(host, repository, { request, order, base });
  host.database.update('pulls', pull.id, { mergingSha: commit, mergingById: order.sender.id });
  const moved = await moveRef(host.git, host.directory(repository), {
    ref: `refs/heads/${pull.baseRef}`,
    from: base,
    to: commit,
  });
  if (!moved) throw baseModified();
  await noteRefChanges(host, repository.id, order.sender);
  return commit;
}

type Plan = { request: PullRequest; order: MergeOrder; base: string };

async function writeMerge(host: Host, repository: Repository, plan: Plan): Promise<string> {
  const { order, base, request } = plan;
  const directory = host.directory(repository);
  const committer = signatureOf(order.sender);
  const head = request.pull.headSha;
  if (order.method === 'rebase') {
    const rebased = await rebase(host.git, directory, { base, head, committer });
    if (rebased === undefined) throw new Failure(405, "This branch can't be rebased");
    return rebased;
  }
  const tree = await mergeTrees(host.git, directory, [base, head]);
  if (tree === undefined) throw notMergeable();
  const author = signatureOf(order.method === 'squash' ? accountById(host, request.issue.authorId) : order.sender);
  const parents = order.method === 'squash' ? [base] : [base, head];
  return writeCommit(host.git, directory, {
    tree,
    parents,
    message: await mergeMessage(host, repository, plan),
    author,
    committer,
  });
}

async function mergeMessage(
  host: Host,
  repository: Repository,
  { request: { issue, pull }, order, base }: Plan,
): Promise<string> {
  const squash = order.method === 'squash';
  const title =
    order.title ??
    (squash
      ? `${issue.title} (#${issue.number})`
      : `Merge pull request #${issue.number} from ${repository.owner}/${pull.headRef}`);
  const text =
    order.message ?? (squash ? await squashedMessages(host, repository, { base, head: pull.headSha }) : issue.title);
  return text === '' ? `${title}\n` : `${title}\n\n${text}\n`;
}

/** The body of a single commit, or a list of all messages. */
async function squashedMessages(
  host: Host,
  repository: Repository,
  range: { base: string; head: string },
): Promise<string> {
  const directory = host.directory(repository);
  const commits = await readCommits(host.git, directory, await commitsBetween(host.git, directory, range));
  const messages = commits.filter(({ parents }) => parents.length < 2).map(({ message }) => message);
  if (messages.length > 1) return messages.map((message) => `* ${message}`).join('\n\n');
  return (messages[0] ?? '').split('\n').slice(1).join('\n').trim();
}

/** Merges the base into the head, as the button "Update branch" does. To be called while no one else works on the repository. */
export async function updateBranch(
  host: Host,
  repository: Repository,
  {
    request: { pull, issue },
    expected,
    sender,
  }: { request: PullRequest; expected: string | undefined; sender: Account },
): Promise<void> {
  const refused = (message: string): Failure =>
    new Failure(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
  const directory = host.directory(repository);
  const base = branchSha(host, repository.id, pull.baseRef);
  if (issue.state === 'closed' || base === undefined) throw refused('The pull request is closed.');
  if (expected !== undefined && expected !== pull.headSha)
    throw new Failure(422, 'expected head sha didn’t match current head ref.');
  if ((await commitsBetween(host.git, directory, { base: pull.headSha, head: base })).length === 0) {
    throw new Failure(422, 'There are no new commits on the base branch.');
  }
  const tree = await mergeTrees(host.git, directory, [pull.headSha, base]);
  if (tree === undefined) throw new Failure(422, 'merge conflict between base and head');
  const author = signatureOf(sender);
  const message = `Merge branch '${pull.baseRef}' into ${pull.headRef}\n`;
  const commit = await writeCommit(host.git, directory, {
    tree,
    parents: [pull.headSha, base],
    message,
    author,
    committer: author,
  });
  const moved = await moveRef(host.git, directory, {
    ref: `refs/heads/${pull.headRef}`,
    from: pull.headSha,
    to: commit,
  });
  if (!moved) throw new Failure(422, 'expected head sha didn’t match current head ref.');
  await noteRefChanges(host, repository.id, sender);
}
