import type { Client } from '@temporalio/client';
import { checksChangedSignal, verifyDomainStart } from '../../../workflows/domains/messages.ts';
import { defaultTaskQueue } from '../../../workflows/task-queues.ts';

/** Signals the workflow of a domain that its checks changed, and starts the workflow if it is not running. */
export const notifyDomainWorkflow =
  (temporal: Client, taskQueue = defaultTaskQueue) =>
  async ({ org, domain }: { org: string; domain: string }): Promise<void> => {
    const { type, options } = verifyDomainStart({ org, domain });
    await temporal.workflow.signalWithStart(type, {
      ...options,
      taskQueue,
      signal: checksChangedSignal,
      signalArgs: [{ org }],
    });
  };
