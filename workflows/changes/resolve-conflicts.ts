import { proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import { outside } from '../activity-options.ts';
import { agentsTaskQueue } from '../task-queues.ts';
import { converse } from './converse.ts';
import { type ResolveConflictsInput, progress } from './messages.ts';

/** `headSha` is absent where the conflict still stands and a person has to say how to go on. */
export type Resolution = {
  headSha?: string;
  byAgent: boolean;
  /** Somebody's commits came with it that the run has not shown. */
  beyond?: boolean;
  turns: number;
  usage: Usage;
  verdict?: Verdict;
};

/** One round: a plain merge of the base first, which settles most conflicts, and an agent for what it leaves. */
export async function resolveConflicts(input: ResolveConflictsInput): Promise<Resolution> {
  const { org, run, step, role, turnsBefore, guided, shown } = input;
  let turns = turnsBefore;
  let usage = noUsage;
  let headSha: string | undefined;
  setHandler(progress, () => ({ phase: 'Running', step, waitingFor: undefined }));

  const { mergeBase } = proxyActivities<Activities>({
    ...outside,
    taskQueue: agentsTaskQueue(workflowInfo().taskQueue),
  });
  const merge = await mergeBase({ org, run, ...(shown ? { shown } : {}) });
  if (merge.outcome !== 'conflicts')
    return { headSha: merge.headSha, byAgent: false, beyond: merge.beyond ?? false, turns, usage };
  const verdict = await converse({
    org,
    run,
    step,
    role,
    turnsBefore,
    opening: guided ? 'guidance' : 'conflicts',
    onTurn: async (turn) => {
      turns = turn.turn;
      usage = addUsage(usage, turn.usage);
      headSha = turn.headSha;
    },
  });
  const settled = verdict.outcome === 'done' && headSha !== undefined;
  return { ...(settled && headSha ? { headSha } : {}), byAgent: true, turns, usage, verdict };
}
