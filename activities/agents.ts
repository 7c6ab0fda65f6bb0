import { Context } from '@temporalio/activity';
import { briefVerdict } from '../src/rules/changes/brief-verdict.ts';
import { findAssignment, findPlace } from './agents/assignment.ts';
import { judgeHeadMove, type HeadMove } from './agents/head-move.ts';
import { mergeBaseInto, type BaseMerge } from './agents/merge-base.ts';
import { oneAtATime } from './agents/one-at-a-time.ts';
import { takeTurn } from './agents/take-turn.ts';
import type { AgentDeps, AgentTurn, TurnOutcome } from './agents/turn.ts';
import type { Conflict } from './agents/transcript.ts';
import { folderOf, prepareWorkTree, type Workshop, type WorkTree } from './agents/work-tree.ts';

export type { BaseMerge } from './agents/merge-base.ts';
export type { AgentDeps, AgentTurn, TurnOutcome } from './agents/turn.ts';

export function createAgentActivities(deps: AgentDeps) {
  const inOrder = oneAtATime();
  const time = (): string => (deps.now?.() ?? new Date()).toISOString();
  const inMergeFolder = async <T>(
    input: { org: string; run: string },
    work: (workshop: Workshop) => Promise<T>,
  ): Promise<T> => {
    const signal = Context.current().cancellationSignal;
    const place = await findPlace(deps, input);
    const folder = folderOf(deps.checkoutsDir, place, 'merge-base');
    return await inOrder(folder, async () => await work({ place, folder, signal }));
  };

  return {
    /** One question to the model and the tools it calls; taking the same turn again gives what it gave. */
    agentTurn: async (input: AgentTurn): Promise<TurnOutcome> => {
      const signal = Context.current().cancellationSignal;
      const assignment = await findAssignment(deps, input);
      const folder = folderOf(deps.checkoutsDir, assignment, input.step);
      const workshop = { place: assignment, folder, signal };
      const ref = { uid: assignment.run.metadata.uid, step: input.step, turn: input.turn };
      let prepared: Promise<WorkTree> | undefined;
      const tree = (conflict?: Conflict) => (prepared ??= prepareWorkTree(workshop, conflict));
      return await inOrder(folder, async () => {
        signal.throwIfAborted();
        const turn = { deps, assignment, ref, signal, tree, workshop, opening: input.opening, at: time() };
        const { verdict, ...outcome } = await takeTurn(turn);
        return {
          ...outcome,
          ...(verdict && { verdict: briefVerdict(verdict) }),
          ...(deps.host !== undefined && { host: deps.host }),
        };
      });
    },

    /** Brings the run's branch up to its base, where that needs no decision. */
    mergeBase: async (input: { org: string; run: string; shown?: string }): Promise<BaseMerge> =>
      await inMergeFolder(
        input,
        async (workshop) => await mergeBaseInto({ ...workshop, at: time(), shown: input.shown }),
      ),

    /** Tells whether the run's branch has commits that nobody was shown. */
    judgeHeadMove: async (input: { org: string; run: string; shown: string }): Promise<HeadMove> =>
      await inMergeFolder(input, async (workshop) => await judgeHeadMove({ ...workshop, shown: input.shown })),
  };
}
