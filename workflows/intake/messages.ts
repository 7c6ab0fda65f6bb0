import { type CodehostEvent, eventName } from '../../src/rules/intake/events.ts';
import type { IgnoredReason } from '../../src/rules/intake/ignored-reasons.ts';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

/** A code host event, reduced to the facts that rules decide on. */
export type DeliveryFacts = CodehostEvent;
export type RouteDeliveryInput = {
  org: string;
  deliveryId: string;
  /** The hash of the webhook body; absent when reconciliation found the event and no delivery announced it. */
  bodyHash?: string;
  facts: DeliveryFacts;
  /** The person who caused the event through the service. */
  startedBy?: string;
};

/** The result per AgentWorkflow: the run that the event started, or the reason for not starting one. */
export type RoutingResult = { agentWorkflow: string; run?: string; reason?: IgnoredReason; message?: string };

export const routeDeliveryType = 'routeDelivery';

/**
 * Routes a delivery once, however often it arrives. A redelivery may repeat a failed routing; reconciliation may not,
 * because it would list the same event again in every round.
 */
export const routeDeliveryStart = (
  input: RouteDeliveryInput,
): WorkflowStart<(input: RouteDeliveryInput) => Promise<RoutingResult[]>> => ({
  type: routeDeliveryType,
  options: {
    workflowId: `route-delivery/${input.org}/${input.deliveryId}/${input.bodyHash ?? 'listed'}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: input.bodyHash === undefined ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
    ...startAttributes({ org: input.org, targetKind: 'delivery' }),
    staticSummary: `${eventName(input.facts)} ${input.facts.repo}#${input.facts.number}`,
    staticDetails: `Org **${input.org}**, ${input.bodyHash === undefined ? 'found by reconciliation' : `delivery ${input.deliveryId}`}.`,
  },
});

export type ReconcileDeliveriesInput = {
  org: string;
  /** All events before this time are settled; defaults to the start of the workflow. */
  since?: string;
  intervals?: ReconciliationIntervals;
};
export type ReconciliationIntervals = {
  pollIntervalMs: number;
  /** The time that a missed event's own delivery still has to arrive. */
  gracePeriodMs: number;
  /** The time before a failed delivery is sent again for the first time. */
  retryDelayMs: number;
};
export const defaultReconciliationIntervals: ReconciliationIntervals = {
  pollIntervalMs: 5 * 60_000,
  gracePeriodMs: 60_000,
  retryDelayMs: 60_000,
};

/** The id allows one loop per org, however often it is started. */
export const reconcileDeliveriesStart = (
  input: ReconcileDeliveriesInput,
): WorkflowStart<(input: ReconcileDeliveriesInput) => Promise<void>> => ({
  type: 'reconcileDeliveries',
  options: {
    workflowId: `reconcile-deliveries/${input.org}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'delivery' }),
    staticSummary: `Missed deliveries of ${input.org}`,
    staticDetails: `Finds code host events of org **${input.org}** that no delivery announced.`,
  },
});
