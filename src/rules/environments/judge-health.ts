import type { ApplicationStatus } from './delivery-kinds.ts';

export type HealthQuestion = {
  /** The digest that must be what runs. */
  digest: string;
  replicas: number;
  /** When the promotion was merged, in milliseconds. */
  mergedAtMs: number;
  /** Whether the synced revision is our commit or one after it. */
  revisionIsOurs: boolean;
};

export type HealthVerdict =
  | { state: 'healthy' }
  | { state: 'waiting'; why: string }
  /** May still speak of what ran before: it decides once something else was seen since, or when it stays. */
  | { state: 'degraded'; why: string }
  /** The controller tried our revision and failed for good. */
  | { state: 'failed'; why: string };

/**
 * Judges one read of an Application. Health and operation are computed apart from each other, so right after a sync
 * "Healthy" still speaks of what ran before: it counts only together with our revision, our digest and an operation
 * that ended after our merge.
 */
export function judgeHealth(status: ApplicationStatus | undefined, question: HealthQuestion): HealthVerdict {
  const { sync, health, operationState: operation } = status ?? {};
  if (!question.revisionIsOurs) return { state: 'waiting', why: comparisonError(status) ?? 'the controller has not seen our commit yet' };
  if (!operation || operation.phase === 'Running') return { state: 'waiting', why: 'the sync is under way' };
  if (operation.phase === 'Failed' || operation.phase === 'Error')
    return { state: 'failed', why: operation.message ?? 'the sync failed' };
  const finishedAt = Date.parse(operation.finishedAt ?? '');
  if (!(finishedAt >= question.mergedAtMs - clockSkewMs)) return { state: 'waiting', why: 'the last sync is from before our commit' };
  if (Date.parse(status?.reconciledAt ?? '') < finishedAt) return { state: 'waiting', why: 'health was not looked at since the sync' };
  if (sync?.status !== 'Synced') return { state: 'waiting', why: comparisonError(status) ?? 'the zone is out of sync' };
  if (health?.status === 'Degraded') return { state: 'degraded', why: health.message ?? 'the app is degraded' };
  if (health?.status !== 'Healthy') return { state: 'waiting', why: health?.message ?? 'the app is starting' };
  const runsOurs = (status?.summary?.images ?? []).some((image) => image.endsWith(`@${question.digest}`));
  if (!runsOurs && question.replicas > 0) return { state: 'waiting', why: 'the version before is still running' };
  return { state: 'healthy' };
}

/** The controller's times are whole seconds and its clock is its own. */
const clockSkewMs = 2_000;

function comparisonError(status: ApplicationStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message;
}
