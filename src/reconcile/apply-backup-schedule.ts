import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { backUpOnScheduleStart, backupScheduleId } from '../../workflows/backups/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { ConfigMapKind } from '../kinds/kubernetes.ts';
import { backupSettingsRef } from '../rules/backups/kinds.ts';
import { type BackupSchedule, readBackupSettings } from '../rules/backups/settings.ts';
import { toTemporalCrons } from '../rules/backups/to-temporal-crons.ts';
import { toCanonicalTimeZone } from '../rules/scheduling/time-zone.ts';
import type { Store } from '../store/store.ts';

/** The time after which a missed backup is no longer made up for; of several missed ones, one is. */
const catchupWindow = '30 days';

/**
 * Creates, changes or deletes the Temporal Schedule of backups, so that it is what the settings say. Repeats that when
 * another request has saved settings meanwhile, so that the last ones win.
 */
export async function applyBackupSchedule({ store, temporal }: { store: Store; temporal: Client }): Promise<void> {
  for (;;) {
    const stored = await store.find(ConfigMapKind, backupSettingsRef);
    const { schedule } = readBackupSettings(stored);
    await callWorkflow(temporal, async () => await saveSchedule(temporal, schedule));
    const current = await store.find(ConfigMapKind, backupSettingsRef);
    if (current?.metadata.resourceVersion === stored?.metadata.resourceVersion) return;
  }
}

/** Returns the times at which the next backups start, as the server has computed them. */
export async function listNextBackupTimes(temporal: Client): Promise<Date[]> {
  const found = await callWorkflow(
    temporal,
    async () => await findSchedule(temporal.schedule.getHandle(backupScheduleId)),
  );
  return found && !found.state.paused ? found.info.nextActionTimes : [];
}

async function saveSchedule(temporal: Client, schedule: BackupSchedule | undefined): Promise<void> {
  const handle = temporal.schedule.getHandle(backupScheduleId);
  const found = await findSchedule(handle);
  if (!schedule) return found && (await handle.delete().catch(ignoreMissing));
  const { scheduleId: _, ...options } = toOptions(schedule);
  // An update skips the times that were missed before it, so an unchanged schedule is not updated.
  if (found?.state.note === options.state.note && found.state.paused === options.state.paused) return;
  if (found) await handle.update(() => options).catch(ignoreMissing);
  else
    await temporal.schedule.create(toOptions(schedule)).catch((error: unknown) => {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    });
}

async function findSchedule(handle: ScheduleHandle): Promise<ScheduleDescription | undefined> {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}

function toOptions({ cron, timeZone, paused }: BackupSchedule) {
  const { type, options } = backUpOnScheduleStart();
  const { workflowIdConflictPolicy: _, workflowIdReusePolicy: __, ...start } = options;
  return {
    scheduleId: backupScheduleId,
    spec: { cronExpressions: toTemporalCrons(cron), timezone: toCanonicalTimeZone(timeZone) },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
    action: { type: 'startWorkflow' as const, workflowType: type, ...start },
    state: { paused, note: `${cron} (${timeZone})` },
  } satisfies ScheduleOptions;
}
