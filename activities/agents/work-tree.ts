import { join } from 'node:path';
import { ServiceError } from '../../src/errors.ts';
import { openCheckout, type Checkout } from '../../src/integrations/git/checkout.ts';
import type { RunPlace } from './assignment.ts';
import { removeTree } from './remove-tree.ts';
import type { Conflict } from './transcript.ts';

/** A checkout in the state in which a turn's tools find it. */
export type WorkTree = {
  checkout: Checkout;
  baseBranch: string;
  baseSha: string;
  /** Absent while the branch has no commit of ours. */
  branchSha: string | undefined;
  /** Where turns that resolve a conflict are kept until the merge commit. */
  resolvingSha: string | undefined;
  /** The commit that the files are of. */
  head: string;
};

export type Workshop = { place: RunPlace; folder: string; signal: AbortSignal | undefined };

const resolvingRef = ({ run }: RunPlace): string => `refs/service/resolving/${run.metadata.name}`;

export async function prepareWorkTree(workshop: Workshop, conflict?: Conflict): Promise<WorkTree> {
  try {
    return await prepare(workshop, conflict);
  } catch (error) {
    if (workshop.signal?.aborted || error instanceof ServiceError) throw error;
    // Whatever a killed process left there: the work is on the branch, so the folder can be made anew.
    await removeTree(workshop.folder);
    return await prepare(workshop, conflict);
  }
}

async function prepare({ place, folder, signal }: Workshop, conflict: Conflict | undefined): Promise<WorkTree> {
  const remote = () => place.host.gitRemote(place.repo);
  const [checkout, baseBranch] = await Promise.all([openCheckout({ folder, remote, signal }), baseBranchOf(place)]);
  const baseRef = `refs/heads/${baseBranch}`;
  const tips = await checkout.remoteTips([baseRef, place.ref, resolvingRef(place)]);
  const baseSha = tips[baseRef];
  if (!baseSha)
    throw new ServiceError('conflict', `The repo ${place.repo} has no commit on "${baseBranch}": push one first.`);
  const branchSha = tips[place.ref];
  if (place.given && !branchSha)
    throw new ServiceError('conflict', `The branch "${place.branch}" of pull request #${place.given.number} is gone.`);
  const resolvingSha = tips[resolvingRef(place)];
  const wanted = [baseSha, branchSha, resolvingSha, conflict?.branchSha, conflict?.baseSha];
  await checkout.fetch([...new Set(wanted.filter((commit) => commit !== undefined))]);
  const tree = { checkout, baseBranch, baseSha, branchSha, resolvingSha };
  if (conflict) return { ...tree, head: await resetToConflict(tree, conflict) };
  const head = branchSha ?? baseSha;
  await checkout.reset(head);
  return { ...tree, head };
}

const baseBranchOf = async ({ given, host, repo }: RunPlace): Promise<string> =>
  given?.baseBranch ?? (await host.repository(repo)).defaultBranch;

/**
 * The work so far on this very conflict, or else the merge with its markers as a commit. That commit is the same on
 * every worker, so what stands on it belongs to this branch and this base, and not to an earlier round.
 */
async function resetToConflict(tree: Omit<WorkTree, 'head'>, { branchSha, baseSha, at }: Conflict): Promise<string> {
  const { checkout, resolvingSha, baseBranch } = tree;
  await checkout.reset(branchSha);
  await checkout.merge(baseSha, baseBranch);
  const message = `Merge ${baseBranch}, with its conflicts`;
  const marked = await checkout.commit({ message, parents: [branchSha], at });
  const head = resolvingSha && (await checkout.isAncestor(marked, resolvingSha)) ? resolvingSha : marked;
  await checkout.reset(head);
  return head;
}

/** A conflict just found: the files that git could put no markers in, since a side deleted them or they are no text. */
export type FoundConflict = { conflict: Conflict; baseBranch: string; unmarked: string[] };

/** Finds out what conflicts between the branch and the base as they are now. */
export async function findConflict(workshop: Workshop, at: string): Promise<FoundConflict> {
  const { checkout, branchSha, baseSha, baseBranch } = await prepareWorkTree(workshop);
  if (!branchSha) throw new ServiceError('conflict', `The branch "${workshop.place.branch}" does not exist any more.`);
  const files = await checkout.merge(baseSha, baseBranch);
  const marked = new Set((await checkout.markers([branchSha, baseSha])).map((place) => place.replace(/:\d+$/, '')));
  const unmarked = files.filter((file) => !marked.has(file));
  return { conflict: { branchSha, baseSha, files, at }, baseBranch, unmarked };
}

export type TurnCommit = { step: string; turn: number; message: string; at: string };
/** Many runs may commit to a pull request that was given to them. */
const turnTrailer = ({ given, run }: RunPlace, { step, turn }: TurnCommit): string =>
  given ? `${run.metadata.name}/${step}/${turn}` : `${step}/${turn}`;

/** `resolves` while a conflict is being resolved, `merges` when it is: only then does the branch itself move. */
export type Publication = TurnCommit & { resolves: Conflict | undefined; merges: Conflict | undefined };

/** Pushes what is in the index as the turn's commit; answers the tip of the branch. */
export async function publish(place: RunPlace, tree: WorkTree, turn: Publication): Promise<string | undefined> {
  if (turn.merges) return await publishMerge(place, tree, { ...turn, conflict: turn.merges });
  const sha = await tree.checkout.commit({ message: messageOf(place, turn), parents: [tree.head], at: turn.at });
  if (turn.resolves) {
    await pushTo(tree, { sha, ref: resolvingRef(place), expected: tree.resolvingSha });
    return tree.branchSha;
  }
  await pushTo(tree, { sha, ref: place.ref, expected: tree.branchSha });
  return sha;
}

async function publishMerge(
  place: RunPlace,
  tree: WorkTree,
  turn: TurnCommit & { conflict: Conflict },
): Promise<string> {
  const { branchSha, baseSha } = turn.conflict;
  if (tree.branchSha !== branchSha) {
    const fix = 'Give guidance to let it begin with the conflict as it is now.';
    throw new ServiceError('conflict', `"${place.branch}" got other commits while its conflict was resolved. ${fix}`);
  }
  const sha = await tree.checkout.commit({
    message: messageOf(place, turn),
    parents: [branchSha, baseSha],
    at: turn.at,
  });
  await pushTo(tree, { sha, ref: place.ref, expected: branchSha });
  if (tree.resolvingSha) await tree.checkout.unpush(resolvingRef(place), tree.resolvingSha);
  return sha;
}

export async function isPublished(place: RunPlace, tree: WorkTree, turn: TurnCommit): Promise<boolean> {
  const heads = [tree.branchSha, tree.resolvingSha].filter((head) => head !== undefined);
  const found = await Promise.all(heads.map((head) => tree.checkout.trailers('Service-Turn', tree.baseSha, head)));
  return found.flat().includes(turnTrailer(place, turn));
}

async function pushTo(tree: WorkTree, to: { sha: string; ref: string; expected: string | undefined }): Promise<void> {
  const pushed = await tree.checkout.push(to.sha, to.ref, to.expected);
  // The next attempt starts from what is there then.
  if (pushed === 'moved') throw new Error(`${to.ref} moved while a turn was pushed to it.`);
}

function messageOf(place: RunPlace, turn: TurnCommit): string {
  const title = turn.message.replaceAll(/\s+/g, ' ').trim().slice(0, 72) || `${turn.step}, turn ${turn.turn}`;
  return `${title}\n\nService-Run: ${place.run.metadata.name}\nService-Turn: ${turnTrailer(place, turn)}\n`;
}

export const folderOf = (checkoutsDir: string, { org, run }: RunPlace, purpose: string): string =>
  join(checkoutsDir, org, run.metadata.name, purpose);
