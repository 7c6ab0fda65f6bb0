import {
  ActivityFailure,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
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
    if (patched('registry-access')) await tryRefresh(async () => await refreshRegistryAccess({ org }));
    const isConnected = await tryRefresh(async () => await refreshRepositoryAccess({ org }));
    if (isConnected === false && !isRequested) return;
    await condition(() => isRequested, intervalMs);
  }
  await continueAsNew<typeof keepRepositoryAccess>(input);
}

/** The next refresh repeats one that was refused, which must neither keep the other waiting nor end the loop. */
async function tryRefresh<T>(refresh: () => Promise<T>): Promise<T | undefined> {
  try {
    return await refresh();
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return undefined;
  }
}
