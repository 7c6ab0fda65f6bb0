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
 * that, if it is newer than our merge, health was computed after.
 */
export function judgeHealth(status: ApplicationStatus | undefined, question: HealthQuestion): HealthVerdict {
  const { sync, health, operationState: operation, summary } = status ?? {};
  if (!question.revisionIsOurs)
    return { state: 'waiting', why: comparisonError(status) ?? 'the controller has not seen our commit yet' };
  if (!operation || operation.phase === 'Running') return { state: 'waiting', why: 'the sync is under way' };
  const finishedAtMs = Date.parse(operation.finishedAt ?? '');
  const isOurSync = finishedAtMs >= question.mergedAtMs - clockSkewMs;
  if (isOurSync && (operation.phase === 'Failed' || operation.phase === 'Error'))
    return { state: 'failed', why: operation.message ?? 'the sync failed' };
  if (sync?.status !== 'Synced') return { state: 'waiting', why: comparisonError(status) ?? 'the zone is out of sync' };
  if (isOurSync && !(Date.parse(status?.reconciledAt ?? '') >= finishedAtMs))
    return { state: 'waiting', why: 'health was not looked at since the sync' };
  if (health?.status === 'Degraded') return { state: 'degraded', why: health.message ?? 'the app is degraded' };
  if (health?.status !== 'Healthy') return { state: 'waiting', why: health?.message ?? 'the app is starting' };
  // Where there was nothing to sync, the operation is an old one: then the digest alone says that ours runs.
  const runsOurs = (summary?.images ?? []).some((image) => image.endsWith(`@${question.digest}`));
  if (!runsOurs && (question.replicas > 0 || !isOurSync))
    return { state: 'waiting', why: 'the version before is still running' };
  return { state: 'healthy' };
}

/** The controller's times are whole seconds and its clock is its own. */
const clockSkewMs = 2_000;

function comparisonError(status: ApplicationStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message;
}
