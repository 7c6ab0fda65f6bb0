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
