import type { Workflow } from '@temporalio/common';
import type { WorkflowStart } from '../../../workflows/workflow-start.ts';

export type StartDescription = {
  type: string;
  workflowId: string;
  conflictPolicy: string;
  reusePolicy: string;
  attributes: Record<string, unknown>;
  summary: string;
  details: string;
};

/** Returns the parts of a start that every way to start the workflow must share. */
export const describeStart = <F extends Workflow>({ type, options }: WorkflowStart<F>): StartDescription => ({
  type,
  workflowId: options.workflowId,
  conflictPolicy: options.workflowIdConflictPolicy,
  reusePolicy: options.workflowIdReusePolicy,
  attributes: Object.fromEntries(options.typedSearchAttributes.map(({ key, value }) => [key.name, value])),
  summary: options.staticSummary,
  details: options.staticDetails,
});
