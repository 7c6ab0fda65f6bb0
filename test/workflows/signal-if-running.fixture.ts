import { ApplicationFailure } from '@temporalio/workflow';
import { signalIfRunning } from '../../workflows/signal-if-running.ts';

/** Returns for each workflow whether it received the signal. */
export async function signalAll(workflowIds: string[]): Promise<boolean[]> {
  const received: boolean[] = [];
  for (const workflowId of workflowIds)
    received.push(await signalIfRunning(workflowId, async (handle) => await handle.signal('anything')));
  return received;
}

/** Fails before it has sent anything. */
export async function failToSignal(workflowId: string): Promise<void> {
  await signalIfRunning(workflowId, async () => {
    throw ApplicationFailure.nonRetryable('The payload cannot be encoded.');
  });
}
