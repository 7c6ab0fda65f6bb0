import { condition, continueAsNew, patched, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import { tryActivity } from '../try-activity.ts';
import { defaultRefreshIntervalMs, type KeepRepositoryAccessInput, refreshAccessSignal } from './messages.ts';

const { refreshRepositoryAccess } = proxyActivities<Activities>(externalApiOptions);
const { refreshRegistryAccess } = proxyActivities<Activities>({
  ...externalApiOptions,
  retry: { ...externalApiOptions.retry, maximumAttempts: 5 },
});

/** Keeps the credentials fresh with which Argo CD, builds and zones read the repos and registries of an org, for as long as it is connected. */
export async function keepRepositoryAccess(input: KeepRepositoryAccessInput): Promise<void> {
  const { org, intervalMs = defaultRefreshIntervalMs } = input;
  let isRequested = false;
  setHandler(refreshAccessSignal, () => {
    isRequested = true;
  });
  while (isRequested || !workflowInfo().continueAsNewSuggested) {
    isRequested = false;
    // A refusal of the registries must not keep the repos from their credentials.
    if (patched('registry-access')) await tryActivity(async () => await refreshRegistryAccess({ org }));
    const isConnected = await tryActivity(async () => await refreshRepositoryAccess({ org }));
    if (isConnected === false && !isRequested) return;
    await condition(() => isRequested, intervalMs);
  }
  await continueAsNew<typeof keepRepositoryAccess>(input);
}
