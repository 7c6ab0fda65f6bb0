import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { runName } from '../src/rules/changes/run-names.ts';
import { defined } from '../src/defined.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowType } from './changes/messages.ts';

/** Adds the org and the run to every line that a workflow logs, and to the SDK's own line about its failure. */
export function interceptors(): WorkflowInterceptors {
  let attributes = {};
  return {
    inbound: [
      {
        async execute(input, next) {
          attributes = toLogAttributes(input.args[0], findRunName(input.args[0]));
          return await next(input);
        },
      },
    ],
    outbound: [{ getLogAttributes: (input, next) => next({ ...input, ...attributes }) }],
  };
}

/** Returns the names of an org and a run in the input of a workflow or an activity. */
export function toLogAttributes(input: unknown, run?: string): { org?: string; run?: string } {
  const names: Record<string, unknown> = typeof input === 'object' && input !== null ? { ...input } : {};
  return defined({ org: toText(names['org']), run: run ?? toText(names['run']) });
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A run is named by the execution that opens it, so only a resumed one has its name in the input. */
function findRunName(input: unknown): string | undefined {
  const { runId, workflowType } = workflowInfo();
  if (workflowType !== runAgentWorkflowType) return undefined;
  const start = input as RunAgentWorkflowInput;
  return start.resume?.run ?? runName({ ...start, seed: runId });
}
