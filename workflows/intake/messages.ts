import type { SourceEvent } from '../../src/rules/intake/events.ts';

/** What a delivery of the code host says, reduced to what rules decide on. */
export type DeliveryFacts = SourceEvent;
export type RouteDeliveryInput = {
  org: string;
  delivery: string;
  facts: DeliveryFacts;
};

/**
 * A delivery of the code host is routed once, however often it comes. Its id tells events apart, not the bodies that
 * are sent of them.
 */
export const routeDeliveryId = (input: { org: string; delivery: string; bodyHash: string }): string =>
  `route-delivery/${input.org}/${input.delivery}/${input.bodyHash}`;

export type ReconcileDeliveriesInput = {
  org: string;
  /** The moment that everything before it is settled; the workflow's start when absent. */
  since?: string;
  pace?: {
    everyMs: number;
    /** How long what was found may still come by itself. */
    settleMs: number;
    /** Before a failed delivery is sent again for the first time. */
    againMs: number;
  };
};
export const reconciliationPace = { everyMs: 5 * 60_000, settleMs: 60_000, againMs: 60_000 };

/** One loop per org, however often it is started. */
export const reconcileDeliveriesStart = (input: ReconcileDeliveriesInput) => ({
  workflowId: `reconcile-deliveries/${input.org}`,
  workflowIdConflictPolicy: 'USE_EXISTING' as const,
  args: [input] as [ReconcileDeliveriesInput],
  staticSummary: `what the code host could not tell ${input.org}`,
});
