import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import type { RunCause, RunTarget } from '../../src/rules/changes/kinds.ts';

export type RunAgentWorkflowInput = {
  org: string;
  agentWorkflow: string;
  product: string;
  target?: RunTarget;
  /** The Release whose tag starts it. */
  release?: { name: string; version: string };
  /** Where the texts a person typed wait (a blob key), never the texts themselves. */
  instructionsKey?: string;
  startedBy: string;
  /** The event that started it, where one did. */
  cause?: RunCause;
  /** Goes on with a run that exists: after continuing as new, or to retry a step of one that had ended. */
  resume?: { run: string; retry?: string; by?: string; guided?: string[] };
  /** Tells apart two starts by hand that have no target. */
  requestId?: string;
  /** How long to wait between looks at what only the code host can tell. */
  pace?: { lookAgainMs: number };
};

/** Every message names its run: the workflow's id is the target's, and may by now belong to a later run. */
export type Decision = { run: string; step: string; by: string; role: string; note?: string; headSha?: string };
export type StepPointer = { run: string; step: string; by: string };

/** Answers the run's name once the resource exists: what a start waits for. */
export const opened = defineUpdate<{ run: string }, []>('opened');
/** Refused while the step does not wait for a person, or when `headSha` is not what is there now. */
export const approveStep = defineUpdate<void, [Decision]>('approveStep');
export const rejectStep = defineUpdate<void, [Decision]>('rejectStep');
/** Lets a step that needs guidance go on; the text itself is in the store. */
export const guideStep = defineUpdate<void, [StepPointer]>('guideStep');
export const retryStep = defineUpdate<void, [StepPointer]>('retryStep');
export const cancelRun = defineUpdate<void, [{ run: string; by: string }]>('cancelRun');

export type RunProgress = { phase: string; step: string | undefined; waitingFor: string | undefined };
export const progress = defineQuery<RunProgress>('progress');

function targetId({ target, release, product, requestId }: RunAgentWorkflowInput): string {
  if (target) return `${target.repo}#${target.number}`;
  return release ? `${product}@${release.version}` : `${product}/${requestId ?? 'by-hand'}`;
}

/** One run at a time per AgentWorkflow and target. */
export const runAgentWorkflowId = (input: RunAgentWorkflowInput): string =>
  `run-agent-workflow/${input.org}/${input.agentWorkflow}/${targetId(input)}`;

/** What the Temporal Web UI shows of a run, and what it can be searched by. */
export const runSummary = (input: RunAgentWorkflowInput) => ({
  staticSummary: `${input.agentWorkflow}: ${targetId(input)}`,
  staticDetails: `Org **${input.org}**, Product **${input.product}**, started by ${input.startedBy}.`,
});

export type ResolveConflictsInput = {
  org: string;
  run: string;
  step: string;
  role: AgentRoleSpec;
  /** Turns the step has taken in earlier rounds. */
  turnsBefore: number;
  /** Set when a person's guidance lets an unfinished resolution go on. */
  guided: boolean;
};
export const resolveConflictsId = (input: { org: string; run: string }): string =>
  `resolve-conflicts/${input.org}/${input.run}`;
