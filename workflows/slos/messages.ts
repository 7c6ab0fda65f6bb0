import { defineSignal } from '@temporalio/workflow';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type ReconcileSloRulesInput = {
  org: string;
  /** The checks in a row after which Prometheus had not loaded all rules. */
  pendingChecks?: number;
  intervals?: { recheckMs: number; settledMs: number };
};

/** Announces that the SLOs, zones or deletion of a Product changed. */
export const slosChangedSignal = defineSignal('slosChanged');

/** The id allows one loop per org, so that two never write the rules of the same Product. */
export const reconcileSloRulesStart = (
  input: ReconcileSloRulesInput,
): WorkflowStart<(input: ReconcileSloRulesInput) => Promise<void>> => ({
  type: 'reconcileSloRules',
  options: {
    workflowId: `reconcile-slo-rules/${input.org}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'slos' }),
    staticSummary: `SLO rules of ${input.org}`,
    staticDetails: `Org **${input.org}**.`,
  },
});
