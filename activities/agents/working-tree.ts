import { join } from 'node:path';
import { ServiceError } from '../../src/errors.ts';
import { openCheckout, type Checkout } from '../../src/integrations/git/checkout.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { commitKey } from '../../src/rules/changes/commit-key.ts';
import type { Conflict } from '../../src/rules/agents/transcript-parts.ts';
import type { RunContext } from '../changes/run-context.ts';
import { assertPushable } from './assert-pushable.ts';
import { removeTree } from '../../src/processes/remove-tree.ts';

/** A checkout that is ready for the tools of a turn. */
export type WorkingTree = {
  checkout: Checkout;
  baseBranch: string;
  baseSha: string;
  /** Undefined while the branch has no commit of the run. */
  branchSha: string | undefined;
  /** The tip of the ref that holds the turns of a conflict resolution until its merge commit. */
  resolutionSha: string | undefined;
  checkedOutSha: string;
};

export type Workspace = { context: RunContext; folder: string; blobs: Blobs; signal: AbortSignal | undefined };

const toResolutionRef = ({ run }: RunContext): string => `refs/service/resolving/${run.metadata.name}`;

export async function prepareWorkingTree(workspace: Workspace, conflict?: Conflict): Promise<WorkingTree> {
  try {
    return await checkOut(workspace, conflict);
  } catch (error) {
    if (workspace.signal?.aborted || error instanceof ServiceError) throw error;
    // A killed process may have left a broken folder; all work is on the branch, so the folder can be recreated.
    await removeTree(workspace.folder);
    return await checkOut(workspace, conflict);
  }
}

async function checkOut(
  { context, folder, blobs, signal }: Workspace,
  conflict: Conflict | undefined,
): Promise<WorkingTree> {
  const { host, repo } = context;
  const getRemote = async ({ changesCiFiles }: { changesCiFiles: boolean }) =>
    await (changesCiFiles ? host.getCiGitRemote(repo) : host.getGitRemote(repo));
  const [opened, baseBranch] = await Promise.all([openCheckout({ folder, getRemote, signal }), getBaseBranch(context)]);
  const checkout: Checkout = {
    ...opened,
    push: async (sha, ...target) => {
      await blobs.put(commitKey(context.org, sha), Buffer.alloc(0));
      return await opened.push(sha, ...target);
    },
  };
  const baseRef = `refs/heads/${baseBranch}`;
  const tips = await checkout.resolveRemoteRefs([baseRef, context.gitRef, toResolutionRef(context)]);
  const baseSha = tips[baseRef];
  if (!baseSha)
    throw new ServiceError(
      'branch-missing',
      `The repo ${context.repo} has no commit on "${baseBranch}". Push a first commit to it.`,
    );
  const branchSha = tips[context.gitRef];
  if (context.targetPullRequest && !branchSha)
    throw new ServiceError(
      'branch-missing',
      `The branch of pull request #${context.targetPullRequest.number} does not exist. Push it again.`,
    );
  const resolutionSha = tips[toResolutionRef(context)];
  const wanted = [baseSha, branchSha, resolutionSha, conflict?.branchSha, conflict?.baseSha];
  await checkout.fetch([...new Set(wanted.filter((commit) => commit !== undefined))]);
  const tree = { checkout, baseBranch, baseSha, branchSha, resolutionSha };
  if (conflict) return { ...tree, checkedOutSha: await resetToConflict(tree, conflict) };
  const checkedOutSha = branchSha ?? baseSha;
  await checkout.reset(checkedOutSha);
  return { ...tree, checkedOutSha };
}

const getBaseBranch = async ({ baseBranch, host, repo }: RunContext): Promise<string> =>
  baseBranch ?? (await host.getRepository(repo)).defaultBranch;

/**
 * Checks out the resolution of this conflict so far, or else a commit of the merge with its markers. That commit is the
 * same on every worker, so a resolution that descends from it belongs to this conflict and not to an earlier round.
 */
async function resetToConflict(
  tree: Omit<WorkingTree, 'checkedOutSha'>,
  { branchSha, baseSha, at }: Conflict,
): Promise<string> {
  const { checkout, resolutionSha, baseBranch } = tree;
  await checkout.reset(branchSha);
  await checkout.merge(baseSha, baseBranch);
  const message = `Merge ${baseBranch}, with its conflicts`;
  const marked = await checkout.commit({ message, parents: [branchSha], commitDate: at });
  const head = resolutionSha && (await checkout.isAncestor(marked, resolutionSha)) ? resolutionSha : marked;
  await checkout.reset(head);
  return head;
}

/** Only a person can bring back a branch that was deleted on the code host. */
export const missingBranchError = ({ branch }: RunContext): ServiceError =>
  new ServiceError('branch-missing', `The branch "${branch}" no longer exists. Restore it, then retry the step.`);

/** Git writes no markers into files that one side deleted, or that are not text. */
export type DetectedConflict = { conflict: Conflict; baseBranch: string; filesWithoutMarkers: string[] };

/** Finds the conflicts between the current branch and the current base. */
export async function detectConflict(workspace: Workspace, at: string): Promise<DetectedConflict> {
  const { checkout, branchSha, baseSha, baseBranch } = await prepareWorkingTree(workspace);
  if (!branchSha) throw missingBranchError(workspace.context);
  const files = await checkout.merge(baseSha, baseBranch);
  const markers = await checkout.listConflictMarkers([branchSha, baseSha]);
  const marked = new Set(markers.map((location) => location.replace(/:\d+$/, '')));
  const filesWithoutMarkers = files.filter((file) => !marked.has(file));
  return { conflict: { branchSha, baseSha, files, at }, baseBranch, filesWithoutMarkers };
}

export type TurnCommit = { step: string; turn: number; message: string; at: string };

/** Several runs may commit to the same target pull request, so the trailer names the run for those. */
export const toTurnTrailer = (
  { targetPullRequest, run }: RunContext,
  { step, turn }: Pick<TurnCommit, 'step' | 'turn'>,
): string => (targetPullRequest ? `${run.metadata.name}/${step}/${turn}` : `${step}/${turn}`);

/** The trailer of the commit that undoes the earlier ones of a step which starts over in this turn. */
export const toUndoTrailer = (context: RunContext, turn: Pick<TurnCommit, 'step' | 'turn'>): string =>
  `${toTurnTrailer(context, turn)}/undo`;

/** While a conflict is open, commits go to the resolution ref; the branch itself moves only once it is resolved. */
export type TurnPush = TurnCommit & { openConflict: Conflict | undefined; resolvedConflict: Conflict | undefined };

/** Pushes the index as the turn's commit and returns the tip of the branch. */
export async function pushTurn(context: RunContext, tree: WorkingTree, turn: TurnPush): Promise<string | undefined> {
  await assertPushable(context);
  if (turn.resolvedConflict) return await pushMerge(context, tree, { ...turn, conflict: turn.resolvedConflict });
  const message = toCommitMessage(context, turn);
  const sha = await tree.checkout.commit({ message, parents: [tree.checkedOutSha], commitDate: turn.at });
  if (turn.openConflict) {
    await pushRef(tree, { sha, ref: toResolutionRef(context), expected: tree.resolutionSha });
    return tree.branchSha;
  }
  const expected = context.pushRef === context.gitRef ? tree.branchSha : undefined;
  await pushRef(tree, { sha, ref: context.pushRef, expected });
  return sha;
}

async function pushMerge(
  context: RunContext,
  tree: WorkingTree,
  turn: TurnCommit & { conflict: Conflict },
): Promise<string> {
  const { branchSha, baseSha } = turn.conflict;
  if (tree.branchSha !== branchSha) {
    const fix = 'Give guidance to start again from the current conflict.';
    throw new ServiceError(
      'branch-moved',
      `Other commits were pushed to "${context.branch}" while its conflict was resolved. ${fix}`,
    );
  }
  const sha = await tree.checkout.commit({
    message: toCommitMessage(context, turn),
    parents: [branchSha, baseSha],
    commitDate: turn.at,
  });
  await pushRef(tree, { sha, ref: context.gitRef, expected: branchSha });
  if (tree.resolutionSha) await tree.checkout.deleteRemoteRef(toResolutionRef(context), tree.resolutionSha);
  return sha;
}

export async function isPublished(
  context: RunContext,
  tree: WorkingTree,
  turn: Pick<TurnCommit, 'step' | 'turn'>,
): Promise<boolean> {
  const heads = [tree.branchSha, tree.resolutionSha].filter((head) => head !== undefined);
  const found = await Promise.all(heads.map((head) => tree.checkout.listTrailers('Service-Turn', tree.baseSha, head)));
  const undo = toUndoTrailer(context, turn);
  return found.some((trailers) => {
    const standing = trailers.includes(undo) ? trailers.slice(0, trailers.indexOf(undo)) : trailers;
    return standing.includes(toTurnTrailer(context, turn));
  });
}

export async function pushRef(
  tree: Pick<WorkingTree, 'checkout'>,
  { sha, ref, expected }: { sha: string; ref: string; expected: string | undefined },
): Promise<void> {
  const pushed = await tree.checkout.push(sha, ref, expected);
  // The next attempt starts from the new tip.
  if (pushed === 'moved') throw new Error(`The ref ${ref} moved while a turn was pushed to it.`);
}

function toCommitMessage(context: RunContext, turn: TurnCommit): string {
  const title =
    turn.message
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 72) || `${turn.step}, turn ${turn.turn}`;
  return `${title}\n\nService-Run: ${context.run.metadata.name}\nService-Turn: ${toTurnTrailer(context, turn)}\n`;
}

export const checkoutFolderFor = (checkoutsDir: string, { org, run }: RunContext, purpose: string): string =>
  join(checkoutsDir, org, run.metadata.name, purpose);
