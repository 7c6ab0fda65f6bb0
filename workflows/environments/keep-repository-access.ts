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
    if (patched('registry-access')) await tryRefreshRegistryAccess(org);
    if (!(await refreshRepositoryAccess({ org })) && !isRequested) return;
    await condition(() => isRequested, intervalMs);
  }
  await continueAsNew<typeof keepRepositoryAccess>(input);
}

/** The next refresh repeats one that failed, which must not keep the access to repos waiting. */
async function tryRefreshRegistryAccess(org: string): Promise<void> {
  try {
    await refreshRegistryAccess({ org });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  }
}
