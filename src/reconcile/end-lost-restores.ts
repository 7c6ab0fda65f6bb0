import type { Client } from '@temporalio/client';
import { restoreBackupId } from '../../workflows/backups/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { isRestoreOpen, RestoreKind } from '../rules/backups/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import { endLostRestore } from '../store/end-lost-restore.ts';
import type { Store } from '../store/store.ts';

/** Requests end within this time, so that the workflow of an older restore is never started any more. */
const requestMs = 2 * 60_000;

type Deps = { store: Store; temporal: Client; now: () => Date };

/**
 * Ends the restores that no workflow continues: the process that created one may have died before it started the
 * workflow. The workflow records the end of a restore before its own.
 */
export async function endLostRestores({ store, temporal, now }: Deps): Promise<void> {
  const startedBefore = now().getTime() - requestMs;
  const { items } = await store.list(RestoreKind, { namespace: systemNamespace });
  const open = items.filter(
    (restore) => isRestoreOpen(restore) && Date.parse(restore.metadata.creationTimestamp) < startedBefore,
  );
  if (open.length === 0 || (await isAnyRunning(temporal))) return;
  for (const restore of open) await endLostRestore(store, restore, now().toISOString());
}

async function isAnyRunning(temporal: Client): Promise<boolean> {
  try {
    const handle = temporal.workflow.getHandle(restoreBackupId);
    const { status } = await callWorkflow(temporal, async () => await handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (isServiceError(error) && error.reason === 'workflow-completed') return false;
    throw error;
  }
}
