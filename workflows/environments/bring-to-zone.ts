import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, getExternalWorkflowHandle, startChild } from '@temporalio/workflow';
import { searchAttributes } from '../search-attributes.ts';
import type { keepEnvironment } from './keep-environment.ts';
import { type Arrival, arrive, keepEnvironmentId } from './messages.ts';

type ZonePointer = { org: string; product: string; zone: string };

/** Starts the zone's keeper unless it is there. */
export async function ensureKeeper({ org, product, zone }: ZonePointer): Promise<void> {
  try {
    await startChild<typeof keepEnvironment>('keepEnvironment', {
      workflowId: keepEnvironmentId({ org, product, zone }),
      args: [{ org, product, zone }],
      // The keeper belongs to the zone, not to the Release that came first.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: searchAttributes({ org, product, targetKind: 'zone' }),
      staticSummary: `Zone ${zone} of ${product}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Hands a Release to the keeper of a zone. */
export async function bringToZone({ arrival, ...zone }: ZonePointer & { arrival: Arrival }): Promise<void> {
  await ensureKeeper(zone);
  await getExternalWorkflowHandle(keepEnvironmentId(zone)).signal(arrive, arrival);
}
