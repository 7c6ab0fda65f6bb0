import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import { tryActivity } from '../try-activity.ts';
import { type ReconcileSloRulesInput, slosChangedSignal } from './messages.ts';

const { applySloRules, checkSloRules } = proxyActivities<Activities>(externalApiOptions);

/** Prometheus loads new rules within about a minute; later checks find rules that were changed or metrics that vanished. */
const defaultIntervals = { recheckMs: 30_000, settledMs: 10 * 60_000 };

/**
 * Keeps the alert rules of an org's SLOs, for as long as it has any.
 *
 *   write the rules that differ ─► ask Prometheus whether it evaluates them ─► sleep, or until a change
 *        ▲                                                                        │
 *        └────────────────────────────────────────────────────────────────────────┘
 */
export async function reconcileSloRules(input: ReconcileSloRulesInput): Promise<void> {
  const { org, intervals = defaultIntervals } = input;
  let { pendingChecks = 0 } = input;
  let hasChanged = false;
  setHandler(slosChangedSignal, () => void (hasChanged = true));

  while (!workflowInfo().continueAsNewSuggested) {
    // A signal that arrives during the write may announce a later change, so it is reset before.
    hasChanged = false;
    const applied = await tryActivity(async () => await applySloRules({ org }));
    const checked =
      applied && (await tryActivity(async () => await checkSloRules({ org, hasOperator: applied.hasOperator })));
    if (checked && applied.slos === 0 && !hasChanged) return;
    const isSettled = checked?.isSettled ?? false;
    pendingChecks = isSettled ? 0 : pendingChecks + 1;
    const backoffMs = intervals.recheckMs * 2 ** Math.min(pendingChecks - 1, 10);
    const pauseMs = isSettled ? intervals.settledMs : Math.min(backoffMs, intervals.settledMs);
    if (await condition(() => hasChanged, pauseMs)) pendingChecks = 0;
  }
  await continueAsNew<typeof reconcileSloRules>({ ...input, pendingChecks });
}
