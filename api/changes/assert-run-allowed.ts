import { quotaReached } from '../../src/rules/quotas.ts';
import { reserveRuns } from '../../src/store/reserve-runs.ts';
import type { ApiDeps } from '../deps.ts';

/** Throws when as many runs of the org are in progress as its quota allows; otherwise reserves the place of the run. */
export async function assertRunAllowed(
  { store, config: { quotas }, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  org: string,
  workflowId: string,
): Promise<void> {
  const reserved = await reserveRuns(store, { org, quota: quotas.runsPerOrg, workflowIds: [workflowId], now: now() });
  if (reserved === 0) throw quotaReached(quotas, 'runsPerOrg');
}
