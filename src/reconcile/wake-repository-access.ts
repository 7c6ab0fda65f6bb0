import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { keepRepositoryAccessStart, refreshAccessSignal } from '../../workflows/environments/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';

type Deps = { temporal: Client; log: { warn: (fields: object, message: string) => void } };

/**
 * Signals the loop of an org to hand out the current credentials now. Without Temporal they are handed out by the next
 * refresh, build or promotion, so a change that is saved already does not fail for it.
 */
export async function wakeRepositoryAccess({ temporal, log }: Deps, org: string): Promise<void> {
  const { type, options } = keepRepositoryAccessStart({ org });
  await callWorkflow(temporal, async () =>
    temporal.workflow.signalWithStart<Workflow>(type, { ...options, signal: refreshAccessSignal }),
  ).catch((error: unknown) => {
    if (!isServiceError(error, 'unavailable')) throw error;
    log.warn({ org, reason: error.reason }, 'Registry credentials will be updated later');
  });
}
