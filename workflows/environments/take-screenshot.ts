import { ActivityFailure, TimeoutFailure, patched, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ScreenshotOutcome } from '../../activities/screenshots.ts';
import { browser, outside } from '../activity-options.ts';
import { reasonOf } from '../reason-of.ts';
import { searchAttributes } from '../search-attributes.ts';
import { browserTaskQueue } from '../task-queues.ts';
import { startApart } from '../start-apart.ts';
import { type TakeScreenshotInput, takeScreenshotId } from './messages.ts';

const { keepPlaceholder } = proxyActivities<Activities>(outside);

/** Has a worker with a browser take a picture of a zone; where none does, the reason takes its place. */
export async function takeScreenshot({ pace, ...ref }: TakeScreenshotInput): Promise<ScreenshotOutcome> {
  const { keepScreenshot } = proxyActivities<Activities>({
    ...browser,
    ...(pace && { scheduleToStartTimeout: pace.takenUpWithinMs }),
    taskQueue: browserTaskQueue(workflowInfo().taskQueue),
  });
  try {
    return await keepScreenshot(ref);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return await keepPlaceholder({ ...ref, why: whyNot(error) });
  }
}

function whyNot(error: ActivityFailure): string {
  if (error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START')
    return 'No worker with a browser took it up. Start one, then promote the Release again.';
  return `The browser’s worker could not take it: ${reasonOf(error).message}`;
}

/** Has a picture taken beside what goes on: nothing waits for it, and nothing fails with it. */
export async function beginScreenshot(input: TakeScreenshotInput): Promise<void> {
  if (!patched('zone-screenshot')) return;
  const { org, product, zone, release } = input;
  await startApart<typeof takeScreenshot>('takeScreenshot', {
    workflowId: takeScreenshotId(input),
    args: [input],
    typedSearchAttributes: searchAttributes({ org, product, targetKind: 'zone' }),
    staticSummary: `${zone}: picture of ${release}`,
  });
}
