import type { Client } from '@temporalio/client';
import { observed, verifyDomainId } from '../../workflows/domains/messages.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';

/** Tells the loop of a domain's name that there is news, and brings one back that was lost. */
export const tellObserved =
  (temporal: Client, taskQueue = defaultTaskQueue) =>
  async ({ org, domain }: { org: string; domain: string }): Promise<void> => {
    await temporal.workflow.signalWithStart('verifyDomain', {
      taskQueue,
      workflowId: verifyDomainId({ domain }),
      args: [{ domain }],
      signal: observed,
      signalArgs: [{ org }],
      staticSummary: `Domain ${domain}`,
    });
  };
