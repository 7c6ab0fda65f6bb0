import { describe, expect, expectTypeOf, it } from 'vitest';
import type { reconcileDeliveries, routeDelivery } from '../../../workflows/index.ts';
import {
  type DeliveryFacts,
  defaultReconciliationIntervals,
  reconcileDeliveriesStart,
  routeDeliveryStart,
} from '../../../workflows/intake/messages.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

const facts: DeliveryFacts = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: [],
  senderIsBot: false,
  isPullRequest: false,
};

describe('routeDeliveryStart', () => {
  it.each([
    ['a webhook', 'b0d1', 'b0d1', 'ALLOW_DUPLICATE_FAILED_ONLY', 'delivery d1'],
    ['reconciliation', undefined, 'listed', 'REJECT_DUPLICATE', 'found by reconciliation'],
  ])('describes an event from %s', (_origin, bodyHash, idEnd, reusePolicy, source) => {
    const start = routeDeliveryStart({ org: 'acme', deliveryId: 'd1', ...(bodyHash && { bodyHash }), facts });
    expect(describeStart(start)).toEqual({
      type: 'routeDelivery',
      workflowId: `route-delivery/acme/d1/${idEnd}`,
      conflictPolicy: 'USE_EXISTING',
      reusePolicy,
      attributes: { org: 'acme', targetKind: 'delivery' },
      summary: 'issue.opened acme/hello#7',
      details: `Org **acme**, ${source}.`,
    });
    expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof routeDelivery>();
  });
});

describe('reconcileDeliveriesStart', () => {
  it.each([undefined, defaultReconciliationIntervals])(
    'describes the loop of an org with the intervals %j',
    (intervals) => {
      const start = reconcileDeliveriesStart({ org: 'acme', ...(intervals && { intervals }) });
      expect(describeStart(start)).toEqual({
        type: 'reconcileDeliveries',
        workflowId: 'reconcile-deliveries/acme',
        conflictPolicy: 'USE_EXISTING',
        reusePolicy: 'ALLOW_DUPLICATE',
        attributes: { org: 'acme', targetKind: 'delivery' },
        summary: 'Missed deliveries of acme',
        details: 'Finds code host events of org **acme** that no delivery announced.',
      });
      expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof reconcileDeliveries>();
    },
  );
});
