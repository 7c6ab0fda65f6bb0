import { defineSignal } from '@temporalio/workflow';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type ReconcileIncidentsInput = {
  org: string;
  /** Incidents whose alert Alertmanager did not have at the last check. */
  missing?: string[];
  intervalMs?: number;
};

/** Announces that the SLOs of an org changed, so that it may have alerts from now on, or no more. */
export const alertRulesChangedSignal = defineSignal('alertRulesChanged');

/** The id allows one loop per org, so that two never write the route of the same alerts. */
export const reconcileIncidentsStart = (
  input: ReconcileIncidentsInput,
): WorkflowStart<(input: ReconcileIncidentsInput) => Promise<void>> => ({
  type: 'reconcileIncidents',
  options: {
    workflowId: `reconcile-incidents/${input.org}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'incidents' }),
    staticSummary: `Incidents of ${input.org}`,
    staticDetails: `Org **${input.org}**.`,
  },
});
