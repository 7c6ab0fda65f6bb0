import type { ApplicationStatus } from '../../rules/environments/delivery-kinds.ts';
import type { ZoneHealth } from './zone.ts';

const now = (): string => new Date().toISOString();

/** A sync has begun; the health is still that of what ran before. */
export function syncRunning(status: ApplicationStatus, revision: string): ApplicationStatus {
  return {
    ...status,
    conditions: [],
    sync: { status: 'OutOfSync', revision },
    operationState: { phase: 'Running', startedAt: now() },
  };
}

/** As with the real one, the operation ends before health is computed anew: for a moment the old health stands. */
export function syncSucceeded(status: ApplicationStatus, revision: string): ApplicationStatus {
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

/** A new revision that changes nothing of this zone moves the revision alone: there is no operation. */
export function nothingToSync(status: ApplicationStatus, revision: string): ApplicationStatus {
  return { ...status, conditions: [], sync: { status: 'Synced', revision }, reconciledAt: now() };
}

/** What should run could not be found out; what runs goes on. */
export function comparisonFailed(status: ApplicationStatus, message: string): ApplicationStatus {
  return {
    ...status,
    sync: { status: 'Unknown' },
    conditions: [{ type: 'ComparisonError', message, lastTransitionTime: now() }],
    reconciledAt: now(),
  };
}

export function withHealth(status: ApplicationStatus, { images, ...health }: ZoneHealth): ApplicationStatus {
  return { ...status, health, summary: { images }, reconciledAt: now() };
}
