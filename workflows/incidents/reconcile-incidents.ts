import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import { tryActivity } from '../try-activity.ts';
import { alertRulesChangedSignal, type ReconcileIncidentsInput } from './messages.ts';

const { applyAlertRoute, checkIncidents } = proxyActivities<Activities>(externalApiOptions);

/** Alertmanager messages arrive within seconds; the check finds those that were lost. */
const defaultIntervalMs = 3 * 60_000;

/**
 * Keeps the incidents of an org as its alerts are, for as long as it has SLOs or an alert that fires.
 *
 *   compare incidents with Alertmanager alerts ─► write the route of alerts to the API ─► sleep, or until a change
 *        ▲                                                                                        │
 *        └────────────────────────────────────────────────────────────────────────────────────────┘
 */
export async function reconcileIncidents(input: ReconcileIncidentsInput): Promise<void> {
  const { org, intervalMs = defaultIntervalMs } = input;
  let { missing = [] } = input;
  let hasChanged = false;
  setHandler(alertRulesChangedSignal, () => void (hasChanged = true));

  while (!workflowInfo().continueAsNewSuggested) {
    // A signal that arrives during the check may announce a later change, so it is reset before.
    hasChanged = false;
    const checked = await tryActivity(async () => await checkIncidents({ org, missing }));
    missing = checked?.missing ?? missing;
    const isDone = checked && (await tryActivity(async () => await writeRoute({ org, isNeeded: checked.isNeeded })));
    if (isDone && !checked.isNeeded && !hasChanged) return;
    await condition(() => hasChanged, intervalMs);
  }
  await continueAsNew<typeof reconcileIncidents>({ ...input, missing });
}

async function writeRoute(route: { org: string; isNeeded: boolean }): Promise<true> {
  await applyAlertRoute(route);
  return true;
}
