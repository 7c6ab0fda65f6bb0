import { WorkflowIdReusePolicy, continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { eventName, type SourceEvent } from '../../src/rules/intake/events.ts';
import { listedId } from '../../src/rules/intake/unrouted.ts';
import { outside } from '../activity-options.ts';
import { searchAttributes } from '../search-attributes.ts';
import { startApart } from '../start-apart.ts';
import { type ReconcileDeliveriesInput, reconciliationPace, routeDeliveryId } from './messages.ts';
import type { routeDelivery } from './route-delivery.ts';

const { redeliverFailed, findUnrouted, stillUnrouted } = proxyActivities<Activities>(outside);

/**
 * Finds what the code host could not tell, for as long as the org is connected: deliveries that failed are sent again,
 * and what no delivery told of, neither at first nor a while later, is routed as if one had.
 */
export async function reconcileDeliveries({
  org,
  pace = reconciliationPace,
  ...from
}: ReconcileDeliveriesInput): Promise<void> {
  let since = from.since ?? workflowInfo().startTime.toISOString();
  while (!workflowInfo().continueAsNewSuggested) {
    const lookedAt = new Date().toISOString();
    if (!(await redeliverFailed({ org, since, againMs: pace.againMs }))) return;
    const { events, until } = await findUnrouted({ org, since });
    if (events.length > 0) {
      // Their deliveries may just be on the way.
      await sleep(pace.settleMs);
      for (const facts of await stillUnrouted({ org, events })) await route(org, facts);
    }
    since = until ?? lookedAt;
    if (until === undefined) await sleep(pace.everyMs);
  }
  await continueAsNew<typeof reconcileDeliveries>({ org, since, pace });
}

async function route(org: string, facts: SourceEvent): Promise<void> {
  const delivery = listedId(facts);
  await startApart<typeof routeDelivery>('routeDelivery', {
    workflowId: routeDeliveryId({ org, delivery, bodyHash: 'listed' }),
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    args: [{ org, delivery, facts }],
    staticSummary: `${eventName(facts)} ${facts.repo}#${facts.number}, found by looking`,
    typedSearchAttributes: searchAttributes({ org, targetKind: 'delivery' }),
  });
}
