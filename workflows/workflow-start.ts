import type { Workflow } from '@temporalio/common';
import type { StartAttributes } from './start-attributes.ts';

/**
 * A workflow start that every caller uses unchanged: a client, an update or signal with start, and a parent workflow.
 * It carries the workflow's signature, so that no caller needs to import the workflow.
 */
export type WorkflowStart<F extends Workflow> = {
  type: string;
  options: {
    workflowId: string;
    args: Parameters<F>;
    taskQueue: string;
    workflowIdConflictPolicy: 'FAIL' | 'USE_EXISTING';
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY' | 'REJECT_DUPLICATE';
    staticSummary: string;
    staticDetails: string;
  } & StartAttributes;
  /** Never set: it lets the type checker infer the workflow's result. */
  readonly signature?: F;
};

/** A child inherits its parent's task queue and has no conflict policy. */
export function toChildOptions<F extends Workflow>({
  options: { taskQueue: _taskQueue, workflowIdConflictPolicy: _conflictPolicy, ...options },
}: WorkflowStart<F>) {
  return options;
}
