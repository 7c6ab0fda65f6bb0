import { findNextDueTime } from '../scheduling/due-times.ts';
import type { Backup } from './kinds.ts';
import type { BackupSchedule } from './settings.ts';

type Scheduled = { schedule: BackupSchedule | undefined; scheduledAt: Date | undefined; backups: readonly Backup[] };

/**
 * Returns the time at which a second successful backup in a row was missed. One may be missing for good reasons: it
 * runs for hours, failed and was reported, or its local time was skipped by the clock.
 */
export function findOverdueBackup({ schedule, scheduledAt, backups }: Scheduled, now: Date): Date | undefined {
  if (!schedule || schedule.paused || !scheduledAt) return undefined;
  const successes = backups.flatMap(({ status }) =>
    status?.phase === 'Succeeded' ? [new Date(status.startedAt).getTime()] : [],
  );
  const last = new Date(Math.max(scheduledAt.getTime(), ...successes));
  const crons = { crons: [schedule.cron], timeZone: schedule.timeZone };
  const first = findNextDueTime(crons, last);
  const second = first && findNextDueTime(crons, first);
  return second && second <= now ? second : undefined;
}
