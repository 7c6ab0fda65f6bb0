import { WithStartWorkflowOperation } from '@temporalio/client';
import { type KeepEnvironmentInput, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import type { UpdateDefinition, SignalDefinition } from '@temporalio/common';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps } from '../deps.ts';
import { speaking } from '../temporal.ts';

type ZoneRef = Pick<KeepEnvironmentInput, 'org' | 'product' | 'zone'>;
const startOf = (zone: ZoneRef) => ({
  taskQueue: defaultTaskQueue,
  workflowId: keepEnvironmentId(zone),
  args: [zone] as [KeepEnvironmentInput],
  typedSearchAttributes: searchAttributes({ org: zone.org, product: zone.product, targetKind: 'zone' }),
  staticSummary: `Zone ${zone.zone} of ${zone.product}`,
});

/** Has a zone's keeper do something and waits until it is written; a zone that has none yet gets one. */
export async function askKeeper<Asked>(
  { temporal }: Pick<ApiDeps, 'temporal'>,
  zone: ZoneRef,
  { update, asked }: { update: UpdateDefinition<void, [Asked]>; asked: Asked },
): Promise<void> {
  await speaking(temporal, () =>
    temporal.workflow.executeUpdateWithStart(update, {
      args: [asked],
      startWorkflowOperation: new WithStartWorkflowOperation('keepEnvironment', {
        ...startOf(zone),
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    }),
  );
}

/** Leaves a message with a zone's keeper; a zone that has none yet gets one. */
export async function tellKeeper<Told>(
  { temporal }: Pick<ApiDeps, 'temporal'>,
  zone: ZoneRef,
  { signal, told }: { signal: SignalDefinition<[Told]>; told: Told },
): Promise<void> {
  await speaking(temporal, () =>
    temporal.workflow.signalWithStart('keepEnvironment', { ...startOf(zone), signal, signalArgs: [told] }),
  );
}
