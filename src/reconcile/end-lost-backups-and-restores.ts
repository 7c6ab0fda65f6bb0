import type { Client } from '@temporalio/client';
import { backUpId, restoreBackupId } from '../../workflows/backups/messages.ts';
import { isServiceError } from '../errors.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { type Backup, BackupKind, isOpen, type Restore, RestoreKind } from '../rules/backups/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import { endLostBackup } from '../store/end-lost-backup.ts';
import { endLostRestore } from '../store/end-lost-restore.ts';
import type { Store } from '../store/store.ts';

/** Requests end within this time, so that the workflow of an older object is never started any more. */
const requestMs = 2 * 60_000;

type Deps = { store: Store; temporal: Client; now: () => Date };

/**
 * Ends the backups and restores that no workflow continues: the process that created one may have died before it
 * started the workflow. A workflow records the end of its object before its own.
 */
export async function endLostBackupsAndRestores(deps: Deps): Promise<void> {
  const { store } = deps;
  const namespace = systemNamespace;
  const { items: restores } = await store.list(RestoreKind, { namespace });
  await endLost(deps, restores, { workflowId: restoreBackupId, end: endLostRestore });
  const { items: backups } = await store.list(BackupKind, { namespace });
  await endLost(deps, backups, { workflowId: backUpId, end: endLostBackup });
}

type Ending<T> = { workflowId: string; end: (store: Store, lost: T, at: string) => Promise<void> };

async function endLost<T extends Backup | Restore>(
  { store, temporal, now }: Deps,
  objects: readonly T[],
  { workflowId, end }: Ending<T>,
): Promise<void> {
  const startedBefore = now().getTime() - requestMs;
  const open = objects.filter((one) => isOpen(one) && Date.parse(one.metadata.creationTimestamp) < startedBefore);
  if (open.length === 0 || (await isRunning(temporal, workflowId))) return;
  for (const lost of open) await end(store, lost, now().toISOString());
}

async function isRunning(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    const handle = temporal.workflow.getHandle(workflowId);
    const { status } = await callWorkflow(temporal, async () => await handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (isServiceError(error) && error.reason === 'workflow-completed') return false;
    throw error;
  }
}
