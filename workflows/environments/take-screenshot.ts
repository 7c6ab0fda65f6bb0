import { ActivityFailure, TimeoutFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ScreenshotOutcome } from '../../activities/environments/screenshot-activities.ts';
import { browserOptions, externalApiOptions } from '../activity-options.ts';
import { toApplicationFailure } from '../failures.ts';
import { browserTaskQueue } from '../task-queues.ts';
import type { TakeScreenshotInput } from './messages.ts';

const { saveScreenshotPlaceholder } = proxyActivities<Activities>(externalApiOptions);

/** Captures a zone on a worker with a browser; without one, a placeholder shows the reason. */
export async function takeScreenshot({ timeouts, ...ref }: TakeScreenshotInput): Promise<ScreenshotOutcome> {
  const { captureScreenshot } = proxyActivities<Activities>({
    ...browserOptions,
    ...(timeouts && { scheduleToStartTimeout: timeouts.scheduleToStartMs }),
    taskQueue: browserTaskQueue(workflowInfo().taskQueue),
  });
  try {
    return await captureScreenshot(ref);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return await saveScreenshotPlaceholder({ ...ref, reason: describeFailure(error) });
  }
}

function describeFailure(error: ActivityFailure): string {
  if (error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START')
    return 'No worker with a browser is running. Start one, then promote the Release again.';
  return `The screenshot failed: ${toApplicationFailure(error).message}`;
}
