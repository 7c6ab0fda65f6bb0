import { turnKey } from '../../src/rules/agents/transcript-keys.ts';
import type { Conflict } from '../../src/rules/agents/transcript-parts.ts';
import { removeTree } from '../../src/processes/remove-tree.ts';
import type { TurnContext } from './turn.ts';
import type { WorkingTree } from './working-tree.ts';

export type StagedChanges = { patch: Uint8Array | undefined; skipped: string[]; problem?: string };

/** Saves the patch of a turn before anything is pushed, so that any host can push the turn later. */
export async function stageChanges(turn: TurnContext, { checkout }: WorkingTree): Promise<StagedChanges> {
  const staged = await checkout.stage().catch(async (error: unknown): Promise<StagedChanges> => {
    turn.signal?.throwIfAborted();
    // A retry would fail in the same way, for example on a path that is too long, so the agent gets the error.
    await removeTree(turn.workspace.folder);
    return { patch: undefined, skipped: [], problem: toErrorText(error) };
  });
  if (staged.patch) await turn.deps.blobs.put(turnKey(turn.ref, 'patch'), staged.patch);
  return staged;
}

const toErrorText = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

/** The branch of a step that started over may have commits that change nothing together. */
async function hasChanges({ checkout, baseSha, branchSha }: WorkingTree): Promise<boolean> {
  return branchSha !== undefined && (await checkout.diff(baseSha, branchSha)).patch !== '';
}

/** Returns why a step with the outcome `done` is not finished: no change, or conflict markers in the files. */
export async function unfinishedViolation(
  tree: WorkingTree,
  conflict: Conflict | undefined,
): Promise<string | undefined> {
  if (!conflict && (await hasChanges(tree))) return undefined;
  const staged = await tree.checkout
    .stage()
    .catch((error: unknown) => ({ patch: undefined, problem: toErrorText(error) }));
  if ('problem' in staged) return `The files cannot be committed: ${staged.problem}`;
  if (!conflict) {
    if (staged.patch) return undefined;
    return 'Nothing is changed yet. Change what the issue asks for, or finish with "needs-guidance" and say why not.';
  }
  const marked = await tree.checkout.listConflictMarkers([conflict.branchSha, conflict.baseSha]);
  if (marked.length === 0) return undefined;
  const listed = marked.slice(0, 30).join(', ');
  return `Conflict markers remain at ${listed}. Resolve them, run the tests, then finish again.`;
}
