import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type DeleteOrgInput = {
  org: string;
  by: string;
  /** The delay before a deletion that was refused is tried again. */
  intervals?: { retryDelayMs: number };
};

/** The id allows one deletion at a time. */
export const deleteOrgStart = (input: DeleteOrgInput): WorkflowStart<(input: DeleteOrgInput) => Promise<void>> => ({
  type: 'deleteOrg',
  options: {
    workflowId: `delete-org/${input.org}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'org' }),
    staticSummary: `Delete org ${input.org}`,
    staticDetails: `Requested by ${input.by}.`,
  },
});
