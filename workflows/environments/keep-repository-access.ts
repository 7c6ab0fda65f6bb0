import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import { defaultRefreshIntervalMs, type KeepRepositoryAccessInput } from './messages.ts';

const { refreshRepositoryAccess } = proxyActivities<Activities>(externalApiOptions);

/** Keeps the credentials fresh with which Argo CD and builds read the repos of an org, for as long as it is connected. */
export async function keepRepositoryAccess(input: KeepRepositoryAccessInput): Promise<void> {
  const { org, intervalMs = defaultRefreshIntervalMs } = input;
  while (!workflowInfo().continueAsNewSuggested) {
    if (!(await refreshRepositoryAccess({ org }))) return;
    await sleep(intervalMs);
  }
  await continueAsNew<typeof keepRepositoryAccess>(input);
}
