import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { searchAttributes } from '../search-attributes.ts';
import { startApart } from '../start-apart.ts';
import type { keepEnvironment } from './keep-environment.ts';
import { type Arrival, arrive, keepEnvironmentId } from './messages.ts';

type ZonePointer = { org: string; product: string; zone: string };

/** Starts the zone's keeper unless it is there: it belongs to the zone, not to the Release that came first. */
export async function ensureKeeper({ org, product, zone }: ZonePointer): Promise<void> {
  await startApart<typeof keepEnvironment>('keepEnvironment', {
    workflowId: keepEnvironmentId({ org, product, zone }),
    args: [{ org, product, zone }],
    typedSearchAttributes: searchAttributes({ org, product, targetKind: 'zone' }),
    staticSummary: `Zone ${zone} of ${product}`,
  });
}

/** Hands a Release to the keeper of a zone. */
export async function bringToZone({ arrival, ...zone }: ZonePointer & { arrival: Arrival }): Promise<void> {
  await ensureKeeper(zone);
  await getExternalWorkflowHandle(keepEnvironmentId(zone)).signal(arrive, arrival);
}
