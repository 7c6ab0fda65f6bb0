import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { toListedEventId } from '../../src/rules/intake/missed-events.ts';
import { externalApiOptions } from '../activity-options.ts';
import { startDetached } from '../start-detached.ts';
import { type ReconcileDeliveriesInput, defaultReconciliationIntervals, routeDeliveryStart } from './messages.ts';

const { recheckMissedEvents } = proxyActivities<Activities>(externalApiOptions);
/** Both make requests for every repo or delivery of the org in one attempt. */
const { redeliverFailedDeliveries, findMissedEvents } = proxyActivities<Activities>({
  ...externalApiOptions,
  startToCloseTimeout: '10 minutes',
});

/**
 * Repairs lost webhooks for as long as the org is connected: failed deliveries are sent again, and events that no
 * delivery announced, even after a grace period, are routed like delivered ones.
 */
export async function reconcileDeliveries({
  org,
  intervals = defaultReconciliationIntervals,
  ...input
}: ReconcileDeliveriesInput): Promise<void> {
  let since = input.since ?? workflowInfo().startTime.toISOString();
  while (!workflowInfo().continueAsNewSuggested) {
    const polledAt = new Date().toISOString();
    if (!(await redeliverFailedDeliveries({ org, since, retryDelayMs: intervals.retryDelayMs }))) return;
    const { events, until } = await findMissedEvents({ org, since });
    if (events.length > 0) {
      // The deliveries of these events may still be in flight.
      await sleep(intervals.gracePeriodMs);
      for (const facts of await recheckMissedEvents({ org, events }))
        await startDetached(routeDeliveryStart({ org, deliveryId: toListedEventId(facts), facts }));
    }
    // The events before `until` are handled; it is earlier than `since` when old ones are found again.
    const hasMore = until !== undefined && Date.parse(until) > Date.parse(since);
    if (until === undefined) since = polledAt;
    else if (hasMore) since = until;
    if (!hasMore) await sleep(intervals.pollIntervalMs);
  }
  await continueAsNew<typeof reconcileDeliveries>({ org, since, intervals });
}
