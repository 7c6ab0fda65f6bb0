import { throwPushRefusal } from '../codehost/throw-push-refusal.ts';
import { assertPushable } from './assert-pushable.ts';
import { prepareWorkingTree, pushRef, toTurnTrailer, toUndoTrailer, type Workspace } from './working-tree.ts';

type UndoInput = { step: string; turn: number; at: string };

/**
 * Undoes the commits of a step with one more commit, so that its agent starts over and no history is rewritten. They stay
 * if the branch has commits of others after the first one, because those may build on them.
 */
export async function undoStepCommits(workspace: Workspace, { step, turn, at }: UndoInput): Promise<void> {
  const { context } = workspace;
  const { checkout, baseSha, branchSha } = await prepareWorkingTree(workspace);
  if (branchSha === undefined) return;
  const prefix = toTurnTrailer(context, { step, turn: 0 }).slice(0, -1);
  const undone = toUndoTrailer(context, { step, turn });
  const commits = await checkout.listCommits('Service-Turn', baseSha, branchSha);
  const isOfStep = ({ trailer }: { trailer: string }): boolean => trailer.startsWith(prefix);
  const first = commits.findLastIndex(isOfStep);
  if (first === -1 || !commits.slice(0, first).every(isOfStep) || commits[0]?.trailer === undone) return;
  const [parent = baseSha] = await checkout.listParents(commits[first]?.sha ?? '');
  await assertPushable(context);
  await checkout.reset(parent);
  const message = `Start over: ${step}\n\nService-Run: ${context.run.metadata.name}\nService-Turn: ${undone}\n`;
  const sha = await checkout.commit({ message, parents: [branchSha], commitDate: at });
  await pushRef({ checkout }, { sha, ref: context.gitRef, expected: branchSha }).catch(
    throwPushRefusal('The commits of the step stay. Allow the service to push to the branch, and retry the step.'),
  );
}
