import { ServiceError } from '../../src/errors.ts';
import { turnKey } from '../../src/rules/agents/transcript-keys.ts';
import type { Conflict, ResponsePart, ResultsPart } from '../../src/rules/agents/transcript-parts.ts';
import { throwPushRefusal } from '../codehost/throw-push-refusal.ts';
import { readTurnPart } from './transcript.ts';
import type { TurnContext } from './turn.ts';
import { isPublished, prepareWorkingTree, pushTurn, type WorkingTree } from './working-tree.ts';

type PublishOptions = {
  conflict: Conflict | undefined;
  response: ResponsePart;
  /** True when the tools have just run in the checkout, so the patch need not be applied. */
  isInTree: boolean;
};

/** Pushes the turn's changes to the code host and returns the tip of the branch. */
export async function publishChanges(
  turn: TurnContext,
  results: ResultsPart,
  { conflict, response, isInTree }: PublishOptions,
): Promise<string | undefined> {
  const { assignment, ref } = turn;
  if (assignment.step.mode === 'report') return undefined;
  const resolvedConflict = results.verdict?.outcome === 'done' ? conflict : undefined;
  if (!results.changed && !resolvedConflict)
    return await assignment.host.findBranchHead(assignment.repo, assignment.branch);

  const tree = await turn.prepareTree(conflict);
  const commit = { step: ref.step, turn: ref.turn, message: toCommitTitle(results, response), at: results.at };
  if (await isPublished(assignment, tree, commit)) return tree.branchSha;
  if (!isInTree) await applyPatch(turn, tree);
  const push = pushTurn(assignment, tree, { ...commit, openConflict: conflict, resolvedConflict });
  return await push.catch(throwPushRefusal(discardedFix));
}

/** Reports whether the previous turn changed files and its commit is not on the branch, so that its changes are lost. */
export async function wasDiscarded({ deps, assignment, ref, workspace }: TurnContext): Promise<boolean> {
  const previous = { ...ref, turn: ref.turn - 1 };
  const results = await readTurnPart(deps.blobs, previous, 'results');
  if (results?.changed !== true) return false;
  return !(await isPublished(assignment, await prepareWorkingTree(workspace), previous));
}

const discardedFix = 'The changes of this turn are discarded. Give guidance to continue from the current branch.';

const toCommitTitle = ({ verdict }: ResultsPart, { text }: ResponsePart): string => verdict?.summary ?? text;

async function applyPatch({ deps, ref, assignment }: TurnContext, { checkout }: WorkingTree): Promise<void> {
  const patch = await deps.blobs.find(turnKey(ref, 'patch'));
  if (!patch || (await checkout.applyPatch(patch))) return;
  throw new ServiceError(
    'branch-moved',
    `Other commits on "${assignment.branch}" change the same lines as the agent. ${discardedFix}`,
  );
}
