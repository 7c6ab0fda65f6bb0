import { Context } from '@temporalio/activity';
import { keyedQueue } from '../../src/keyed-queue.ts';
import type { Conflict } from '../../src/rules/agents/transcript-parts.ts';
import { truncateVerdict } from '../../src/rules/changes/truncate-verdict.ts';
import { getRunContext } from '../changes/run-context.ts';
import { getAssignment } from './assignment.ts';
import { checkUnreviewedCommits, type UnreviewedCommitsCheck } from './check-unreviewed-commits.ts';
import { mergeBaseBranch, type BaseBranchMerge } from './merge-base-branch.ts';
import { pruneCheckouts } from './prune-checkouts.ts';
import { runTurn } from './run-turn.ts';
import type { AgentDeps, RunAgentTurnInput, TurnOutcome } from './turn.ts';
import { checkoutFolderFor, prepareWorkingTree, type Workspace, type WorkingTree } from './working-tree.ts';

export type { BaseBranchMerge } from './merge-base-branch.ts';
export type { AgentDeps, RunAgentTurnInput, TurnOutcome } from './turn.ts';

type MergeBaseBranchInput = { org: string; run: string; reviewedSha?: string };
type CheckUnreviewedCommitsInput = { org: string; run: string; reviewedSha: string };

export function createAgentActivities(deps: AgentDeps) {
  // An attempt that Temporal has given up on may still be using the folder.
  const enqueue = keyedQueue();
  const now = deps.now ?? ((): Date => new Date());
  const currentTime = (): string => now().toISOString();

  const withMergeWorkspace = async <T>(
    ref: { org: string; run: string },
    work: (workspace: Workspace) => Promise<T>,
  ): Promise<T> => {
    const signal = Context.current().cancellationSignal;
    const context = await getRunContext(deps, ref);
    const folder = checkoutFolderFor(deps.checkoutsDir, context, 'merge-base-branch');
    return await enqueue(folder, async () => await work({ context, folder, blobs: deps.blobs, signal }));
  };

  return {
    /** Sends one request to the model and runs its tool calls; a repeated turn returns its recorded result. */
    runAgentTurn: async (input: RunAgentTurnInput): Promise<TurnOutcome> => {
      const signal = Context.current().cancellationSignal;
      const assignment = await getAssignment(deps, input);
      const folder = checkoutFolderFor(deps.checkoutsDir, assignment, input.step);
      const workspace: Workspace = { context: assignment, folder, blobs: deps.blobs, signal };
      // A full disk stops every run, so the first turn of each round makes room.
      if (input.trigger) await pruneCheckouts(deps);
      const ref = { uid: assignment.run.metadata.uid, step: input.step, turn: input.turn };
      let prepared: Promise<WorkingTree> | undefined;
      const prepareTree = (conflict?: Conflict) => (prepared ??= prepareWorkingTree(workspace, conflict));
      return await enqueue(folder, async () => {
        signal.throwIfAborted();
        const { trigger } = input;
        const turn = { deps, assignment, ref, signal, prepareTree, workspace, trigger, at: currentTime(), now };
        const { verdict, ...outcome } = await runTurn(turn);
        return {
          ...outcome,
          ...(verdict && { verdict: truncateVerdict(verdict) }),
          ...(deps.host !== undefined && { host: deps.host }),
        };
      });
    },

    /** Merges the base branch into the run's branch when that needs no decision. */
    mergeBaseBranch: async ({ reviewedSha, ...ref }: MergeBaseBranchInput): Promise<BaseBranchMerge> =>
      await withMergeWorkspace(
        ref,
        async (workspace) => await mergeBaseBranch({ ...workspace, at: currentTime(), reviewedSha }),
      ),

    /** Checks whether the run's branch has commits that no reviewer has seen. */
    checkUnreviewedCommits: async ({
      reviewedSha,
      ...ref
    }: CheckUnreviewedCommitsInput): Promise<UnreviewedCommitsCheck> =>
      await withMergeWorkspace(ref, async (workspace) => await checkUnreviewedCommits({ ...workspace, reviewedSha })),
  };
}
