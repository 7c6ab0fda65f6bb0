import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import type { RunCause, Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { scheduleStarter } from '../../src/rules/changes/run-names.ts';
import { type RunOrigin, runAgentWorkflowId, toTag, toTargetId } from '../../src/rules/changes/run-workflow-id.ts';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type RunAgentWorkflowInput = RunOrigin & {
  /** The blob key of the instructions that a person typed: texts never enter a history. */
  instructionsKey?: string;
  startedBy: string;
  /** The code host event that starts the run. */
  cause?: RunCause;
  /** Resumes an existing run: after continuing as new, or to retry a step of a finished run. */
  resume?: {
    run: string;
    retry?: { decision: RetryDecision; proof?: DecisionProof };
    guidedSteps?: string[];
    restartedSteps?: string[];
  };
  /**
   * The poll interval for state that only the code host knows, how long a blocked merge and a cleanup wait, and the first
   * wait for a system that a turn needs.
   */
  intervals?: { pollIntervalMs: number; mergeWaitMs?: number; cleanUpMs?: number; turnRetryMs?: number };
};

/**
 * Every message names its run, because the workflow id belongs to the target and may serve a later run by now. Each
 * decision carries the proof that the API authorized it.
 */
export type StepDecision = { run: string; step: string; by: string; role: string; note?: string; headSha?: string };
export type StepRef = { run: string; step: string; by: string };
/** With `startOver`, the agent begins again without its earlier turns and their commits. */
export type RetryDecision = StepRef & { startOver?: boolean };

/** Returns the run's name once the resource exists. */
export const waitForRunUpdate = defineUpdate<{ run: string }, []>('waitForRun');
/** Fails unless the step waits for a person and `headSha` is the current head of the pull request. */
export const approveStepUpdate = defineUpdate<void, [StepDecision, DecisionProof?]>('approveStep');
export const rejectStepUpdate = defineUpdate<void, [StepDecision, DecisionProof?]>('rejectStep');
/** Resumes a step that needs guidance; the guidance text is in the store. */
export const guideStepUpdate = defineUpdate<void, [StepRef, DecisionProof?]>('guideStep');
export const retryStepUpdate = defineUpdate<void, [RetryDecision, DecisionProof?]>('retryStep');
export const cancelRunUpdate = defineUpdate<void, [{ run: string; by: string }, DecisionProof?]>('cancelRun');

/** Says that a person has merged or closed a pull request of the run, which the run reads again. */
export const pullRequestClosedSignal = defineSignal<[{ run: string }]>('pullRequestClosed');

export type RunProgress = { phase: string; step: string | undefined; waitingFor: string | undefined };
export const runProgressQuery = defineQuery<RunProgress>('runProgress');

/** A retry has the same kind as the run that it retries, because both are derived from the same input. */
function toTargetKind({ target, release, startedBy }: RunAgentWorkflowInput): string {
  if (target) return target.kind ?? 'issue';
  if (release) return 'release';
  return startedBy === scheduleStarter ? 'schedule' : 'instructions';
}

export const runAgentWorkflowType = 'runAgentWorkflow';

/** A Release and a due time start a run once; a retry joins the open execution, or starts one when there is none. */
export function runAgentWorkflowStart(
  input: RunAgentWorkflowInput,
): WorkflowStart<(input: RunAgentWorkflowInput) => Promise<void>> {
  const { org, agentWorkflow, product, release, startedBy, resume } = input;
  const targetKind = toTargetKind(input);
  const startsOnce = targetKind === 'release' || targetKind === 'schedule';
  return {
    type: runAgentWorkflowType,
    options: {
      workflowId: runAgentWorkflowId(input),
      args: [input],
      taskQueue: defaultTaskQueue,
      workflowIdConflictPolicy: resume ? 'USE_EXISTING' : 'FAIL',
      workflowIdReusePolicy: startsOnce && !resume ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
      ...startAttributes({ org, product, targetKind }),
      staticSummary: `${agentWorkflow}: ${release ? toTag(product, release) : toTargetId(input)}`,
      staticDetails: `Org **${org}**, Product **${product}**, started by ${startedBy}.`,
    },
  };
}

export type ResolveConflictsInput = {
  org: string;
  product: string;
  run: string;
  step: string;
  role: AgentRoleSpec;
  /** The conflict round of the run, counted from 1. */
  round: number;
  /** Turns that the step has taken in earlier rounds. */
  previousTurns: number;
  /** True when a person's guidance resumes an unfinished resolution. */
  hasGuidance: boolean;
  /** The head that the run shows, which people may have approved. */
  reviewedSha?: string;
};

/** `headSha` is absent while the conflict is unresolved and a person has to give guidance. */
export type ConflictResolution = {
  headSha?: string;
  resolvedByAgent: boolean;
  /** True when the new head contains commits that the run has not shown. */
  hasUnreviewedCommits?: boolean;
  turns: number;
  usage: Usage;
  verdict?: Verdict;
};

/** The id allows one resolution at a time per run. */
export const resolveConflictsStart = (
  input: ResolveConflictsInput,
): WorkflowStart<(input: ResolveConflictsInput) => Promise<ConflictResolution>> => ({
  type: 'resolveConflicts',
  options: {
    workflowId: `resolve-conflicts/${input.org}/${input.run}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'pull-request' }),
    staticSummary: `Conflicts of ${input.run}, round ${input.round}`,
    staticDetails: `Org **${input.org}**, Product **${input.product}**, step ${input.step}.`,
  },
});
