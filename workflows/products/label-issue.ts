import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import { routeDeliveryStart } from '../intake/messages.ts';
import { startDetached } from '../start-detached.ts';
import type { LabelIssueInput } from './messages.ts';

const { labelIssue: labelIssueActivity, readLabelEvents } = proxyActivities<Activities>(externalApiOptions);

/**
 * Adds labels to an issue and removes others. The code host reports an added label as an event of the service, which
 * starts nothing; it is routed here as the event of the person instead.
 */
export async function labelIssue(input: LabelIssueInput): Promise<void> {
  const { org, requestId, by, add } = input;
  // The labels are compared before the change, because a retry of the change would find them on the issue.
  const events = add.length > 0 ? await readLabelEvents(input) : [];
  await labelIssueActivity(input);
  for (const facts of events) {
    const deliveryId = `label-issue/${requestId}/${facts.label}`;
    await startDetached(routeDeliveryStart({ org, deliveryId, facts, startedBy: by }));
  }
}
