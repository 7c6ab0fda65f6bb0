import type { ApplicationStatus } from '../../kinds/argo-cd.ts';
import type { ZoneHealth } from './zone.ts';

const now = (): string => new Date().toISOString();

/** Marks a sync as started. The health is still that of the previous version. */
export function markSyncRunning(status: ApplicationStatus, revision: string): ApplicationStatus {
  return {
    ...status,
    conditions: [],
    sync: { status: 'OutOfSync', revision },
    operationState: { phase: 'Running', startedAt: now() },
  };
}

/** Like Argo CD, the operation ends before the health is recomputed, so the old health remains for a moment. */
export function markSyncSucceeded(status: ApplicationStatus, revision: string): ApplicationStatus {
  const finishedAt = now();
  const startedAt = status.operationState?.startedAt ?? finishedAt;
  return {
    ...status,
    sync: { status: 'Synced', revision },
    operationState: {
      phase: 'Succeeded',
      message: 'successfully synced',
      startedAt,
      finishedAt,
      syncResult: { revision },
    },
  };
}

/** A revision without changes to this zone updates the revision only and starts no operation. */
export function markAlreadySynced(status: ApplicationStatus, revision: string): ApplicationStatus {
  return { ...status, conditions: [], sync: { status: 'Synced', revision }, reconciledAt: now() };
}

/** The project does not allow the Application; the running version stays. */
export function markInvalidSpec(status: ApplicationStatus, message: string): ApplicationStatus {
  return {
    ...status,
    sync: { status: 'Unknown' },
    conditions: [{ type: 'InvalidSpecError', message, lastTransitionTime: now() }],
    reconciledAt: now(),
  };
}

/** The desired state could not be read; the running version stays. */
export function markComparisonFailed(status: ApplicationStatus, message: string): ApplicationStatus {
  return {
    ...status,
    sync: { status: 'Unknown' },
    conditions: [{ type: 'ComparisonError', message, lastTransitionTime: now() }],
    reconciledAt: now(),
  };
}

export function setHealth(status: ApplicationStatus, { images, ...health }: ZoneHealth): ApplicationStatus {
  return { ...status, health, summary: { images }, reconciledAt: now() };
}
