import { WithStartWorkflowOperation } from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition, Workflow } from '@temporalio/common';
import { manageZoneStart, type ManageZoneInput } from '../../workflows/environments/messages.ts';
import type { DecisionProof } from '../rules/access/decisions.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { ReconcileDeps } from './deps.ts';

type ZoneRef = Pick<ManageZoneInput, 'org' | 'product' | 'zone'>;

/** Sends an update to the workflow of a zone, starting the workflow if it is not running, and waits for completion. */
export async function updateZone<Args extends [unknown, DecisionProof?]>(
  { temporal }: Pick<ReconcileDeps, 'temporal'>,
  zone: ZoneRef,
  { update, args }: { update: UpdateDefinition<void, Args>; args: Args },
): Promise<void> {
  const { type, options } = manageZoneStart(zone);
  await callWorkflow(temporal, () =>
    temporal.workflow.executeUpdateWithStart(update, {
      args,
      startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(type, options),
    }),
  );
}

/** Signals the workflow of a zone, starting the workflow if it is not running. */
export async function signalZone<Arg>(
  { temporal }: Pick<ReconcileDeps, 'temporal'>,
  zone: ZoneRef,
  { signal, arg }: { signal: SignalDefinition<[Arg]>; arg: Arg },
): Promise<void> {
  const { type, options } = manageZoneStart(zone);
  await callWorkflow(temporal, () =>
    temporal.workflow.signalWithStart<Workflow, [Arg]>(type, { ...options, signal, signalArgs: [arg] }),
  );
}
