import type { WorkflowHandle } from '@temporalio/client';
import { eventually } from './with-workflow-harness.ts';

/** A workflow whose local activity is held open sees messages only when its task renews itself, at 80 % of this. */
export const shortTaskTimeout = '2 seconds';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type EventAttributes =
  | 'activityTaskCompletedEventAttributes'
  | 'childWorkflowExecutionCompletedEventAttributes'
  | 'workflowExecutionCancelRequestedEventAttributes'
  | 'workflowExecutionSignaledEventAttributes';

/** Waits until a workflow has completed a task that began after the last of several events of a kind. */
async function waitUntilProcessed(handle: WorkflowHandle, attributes: EventAttributes, count = 1): Promise<void> {
  const isProcessed = ({ events }: History): boolean => {
    const at = (events ?? []).findLastIndex((event) => event[attributes]);
    const isComplete = (events ?? []).filter((event) => event[attributes]).length >= count;
    const after = isComplete ? (events ?? []).slice(at) : [];
    const begun = after.findIndex((event) => event.workflowTaskStartedEventAttributes);
    return begun !== -1 && after.slice(begun).some((event) => event.workflowTaskCompletedEventAttributes);
  };
  await eventually(async () => isProcessed(await handle.fetchHistory())).toBe(true);
}

export const waitUntilCancelSeen = async (handle: WorkflowHandle): Promise<void> =>
  await waitUntilProcessed(handle, 'workflowExecutionCancelRequestedEventAttributes');
/** A signal that arrives during a task enters the history only after it, so `count` says how many were sent. */
export const waitUntilSignalSeen = async (handle: WorkflowHandle, count = 1): Promise<void> =>
  await waitUntilProcessed(handle, 'workflowExecutionSignaledEventAttributes', count);
/** Waits until the workflow has handled the result of the activity that completed last. */
export const waitUntilActivityHandled = async (handle: WorkflowHandle): Promise<void> =>
  await waitUntilProcessed(handle, 'activityTaskCompletedEventAttributes');
/** Waits until the workflow has handled the result of the child that completed last. */
export const waitUntilChildHandled = async (handle: WorkflowHandle): Promise<void> =>
  await waitUntilProcessed(handle, 'childWorkflowExecutionCompletedEventAttributes');
