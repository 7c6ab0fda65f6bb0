import { CancellationScope, log, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';

const { closePromotionPullRequest } = proxyActivities<Activities>({
  ...externalApiOptions,
  // A code host that is unavailable must not hold up the next promotion for longer.
  scheduleToCloseTimeout: '1 minute',
});

type PromotionRef = { org: string; product: string; zone: string; version: string };

/** Closes the pull request of a write that was given up, because a later merge would deploy it all the same. */
export async function closeUnlessPromoted<T extends { outcome: string }>(
  promotion: PromotionRef,
  write: () => Promise<T>,
): Promise<T> {
  let isPromoted = false;
  try {
    const result = await write();
    isPromoted = result.outcome === 'promoted';
    return result;
  } finally {
    if (!isPromoted && patched('close-promotion')) await CancellationScope.nonCancellable(() => tryClose(promotion));
  }
}

async function tryClose(promotion: PromotionRef): Promise<void> {
  try {
    await closePromotionPullRequest(promotion);
  } catch (error) {
    log.warn('The pull request of a promotion that was given up stays open', { ...promotion, error });
  }
}
