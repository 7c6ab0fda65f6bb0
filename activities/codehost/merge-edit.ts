import { Context } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileChange, OrgCodehost, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import { keyedQueue } from '../../src/keyed-queue.ts';

export type EditOutcome =
  | { outcome: 'merged'; commit: string; mergedAt: string; pullRequest?: { number: number; url: string } }
  /** The rules of the base branch require a check or a review first; `needsPerson` unless only checks are running. */
  | { outcome: 'blocked'; message: string; needsPerson: boolean; pullRequest?: { number: number; url: string } }
  /** `isClosed` when the pull request was closed without a merge. */
  | { outcome: 'refused'; message: string; isClosed?: boolean };

type Edit = {
  repo: string;
  defaultBranch: string;
  branch: string;
  title: string;
  body: string;
  /** The pull request of an earlier attempt: once it is closed without a merge, no other one is opened. */
  proposal?: number;
  /** Returns the file changes that the edit requires at a commit. */
  changesAt: (ref: string) => Promise<FileChange[]>;
};

/** Other writers may move the base branch this many times before the edit is refused. */
const attemptsMax = 50;
/** A new repo receives its first commit a moment after its creation. */
const emptyRepoAttemptsMax = 15;
/** The wait after the first attempt; it doubles four times. */
const defaultBackOffMs = 50;

/** Edits of one repo run one after the other in a process, because each merge would refuse the other open ones. */
const repoQueue = keyedQueue();

/**
 * Applies an edit to the default branch through a pull request. When the base moves, the edit is applied to the new base
 * instead of being merged line by line, because every edit writes whole files.
 */
export async function mergeEdit(
  host: OrgCodehost,
  edit: Edit,
  { backOffMs = defaultBackOffMs }: { backOffMs?: number } = {},
): Promise<EditOutcome> {
  return await repoQueue(edit.repo, async () => await mergeWithRetries(host, edit, backOffMs));
}

async function mergeWithRetries(host: OrgCodehost, edit: Edit, backOffMs: number): Promise<EditOutcome> {
  const { repo, branch, defaultBranch } = edit;
  let pull = await host.findPullRequest(repo, branch);
  let readyBase: string | undefined;
  let isBehind = false;
  const { cancellationSignal } = Context.current();
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    // A cancelled or timed-out attempt must not overwrite later edits.
    cancellationSignal.throwIfAborted();
    const base = await host.findBranchHead(repo, defaultBranch);
    if (base === undefined && attempt >= emptyRepoAttemptsMax) return missingBranchOutcome(edit);
    if (base === undefined) {
      await backOff(attempt, backOffMs);
      continue;
    }
    if (!pull || readyBase === undefined || !(await areFilesUnchanged(host, edit, { from: readyBase, to: base }))) {
      const prepared = await preparePullRequest(host, edit, { pull, base, isBehind });
      if ('outcome' in prepared) return prepared;
      pull = prepared;
    }
    const merge = await host.mergePullRequest(repo, {
      number: pull.number,
      headSha: pull.headSha,
      title: `${edit.title} (#${pull.number})`,
      message: edit.body,
    });
    if (merge.outcome === 'merged') {
      await host.deleteBranch(repo, branch);
      return toMergedOutcome(pull, merge.commit);
    }
    if (merge.outcome === 'blocked') return { ...merge, ...toLink(pull) };
    if (merge.outcome === 'closed') return closedOutcome(merge.message);
    if (merge.outcome === 'refused') return { outcome: 'refused', message: merge.message };
    isBehind = merge.outcome === 'behind';
    readyBase = merge.outcome === 'base-moved' ? base : undefined;
    await backOff(attempt, backOffMs);
    if (readyBase === undefined) pull = await host.findPullRequest(repo, branch);
  }
  return { outcome: 'refused', message: `The repo ${repo} kept changing while "${edit.title}" was being merged.` };
}

/** Returns a pull request that contains the edit on top of the base, or the outcome when the base already has the edit. */
async function preparePullRequest(
  host: OrgCodehost,
  edit: Edit,
  { pull, base, isBehind }: { pull: PullRequest | undefined; base: string; isBehind: boolean },
): Promise<PullRequest | EditOutcome> {
  // An earlier merge of this pull request proves nothing by itself: the files may have changed since.
  if (await isApplied(host, edit, base)) {
    const mergeCommit = pull?.merged ? pull.mergeCommit : undefined;
    const isOurs = mergeCommit !== undefined && (await isApplied(host, edit, mergeCommit));
    return isOurs ? toMergedOutcome(pull, mergeCommit) : toMergedOutcome(undefined, base);
  }
  if (pull?.number === edit.proposal && pull?.state === 'closed' && !pull.merged)
    return closedOutcome(`Pull request #${pull.number} was closed without a merge.`);
  // A pull request that is behind is written again on top of the base, as the rules of the base branch require.
  if (pull && !isBehind && (await isMergeableAsIs(host, edit, { pull, base }))) return pull;
  return (await proposeEdit(host, edit, base)) ?? toMergedOutcome(undefined, base);
}

const missingBranchOutcome = ({ repo, defaultBranch }: Edit): EditOutcome => ({
  outcome: 'refused',
  message: `The repo ${repo} has no branch ${defaultBranch}. Push a first commit to it.`,
});

const closedOutcome = (message: string): EditOutcome => ({ outcome: 'refused', message, isClosed: true });

const backOff = async (attempt: number, firstMs: number): Promise<void> =>
  await sleep(firstMs * 2 ** Math.min(attempt, 4) * (0.5 + Math.random()));

/** Writes the edit on top of a base; returns undefined when the base already contains it. */
async function proposeEdit(host: OrgCodehost, edit: Edit, base: string): Promise<PullRequest | undefined> {
  const { repo, branch, defaultBranch, title, body } = edit;
  const head = await host.commitFiles(repo, { branch, base, message: title, changes: await edit.changesAt(base) });
  if (head === undefined) return undefined;
  const pullRequest = { headBranch: branch, baseBranch: defaultBranch, title, body, draft: false };
  return { ...(await host.openPullRequest(repo, pullRequest)), headSha: head };
}

/** Returns true when the pull request contains the edit, and its files did not change on the base since. */
async function isMergeableAsIs(
  host: OrgCodehost,
  edit: Edit,
  { pull, base }: { pull: PullRequest; base: string },
): Promise<boolean> {
  if (pull.state !== 'open' || !(await isApplied(host, edit, pull.headSha))) return false;
  const [parent] = (await host.getCommit(edit.repo, pull.headSha)).parents;
  return parent !== undefined && (await areFilesUnchanged(host, edit, { from: parent, to: base }));
}

/** Commits of other writers mostly change other files; the edit is not written again for those. */
async function areFilesUnchanged(
  host: OrgCodehost,
  { repo, changesAt }: Edit,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  if (from === to) return true;
  const comparisons = (await changesAt(to)).map(async ({ path }) => {
    const [before, after] = await Promise.all([host.findFileSha(repo, path, from), host.findFileSha(repo, path, to)]);
    return before === after;
  });
  return (await Promise.all(comparisons)).every(Boolean);
}

async function isApplied(host: OrgCodehost, { repo, changesAt }: Edit, ref: string): Promise<boolean> {
  const isSame = async ({ path, content }: FileChange): Promise<boolean> => {
    if (content instanceof Uint8Array) return (await host.findFileSha(repo, path, ref)) === gitBlobSha(content);
    return ((await host.readFile(repo, path, ref)) ?? null) === content;
  };
  // The first difference ends the check, which saves requests for the other files.
  for (const change of await changesAt(ref)) if (!(await isSame(change))) return false;
  return true;
}

/** Computes the id that git gives to a file with this content. */
const gitBlobSha = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

function toMergedOutcome(pull: PullRequest | undefined, commit: string): EditOutcome {
  return { outcome: 'merged', commit, mergedAt: new Date().toISOString(), ...(pull && toLink(pull)) };
}

const toLink = ({ number, url }: PullRequest): { pullRequest: { number: number; url: string } } => ({
  pullRequest: { number, url },
});
