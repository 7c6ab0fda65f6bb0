import type { ApplicationStatus } from '../../kinds/argo-cd.ts';
import { addClusterFix } from '../clusters/judge-deployment.ts';
import { gitopsRepoViolation } from './gitops-access.ts';

export type ExpectedRollout = {
  /** The digest of the image that must run. */
  digest: string;
  replicas: number;
  mergedAtMs: number;
  /** True when the synced revision is the promotion's commit or a later one. */
  isRevisionSynced: boolean;
};

export type HealthVerdict =
  | { state: 'healthy' }
  | { state: 'waiting'; message: string }
  /** May still describe the previous version, so it only counts after another state was observed or when it persists. */
  | { state: 'degraded'; message: string }
  /** The project of the org does not allow the Application, or did not when the controller last read it. */
  | { state: 'refused'; message: string; fix?: string }
  /** The controller's sync of this revision has failed. */
  | { state: 'failed'; message: string };

/**
 * Judges the status of an Application. The controller computes health and operation separately, so right after a sync
 * "Healthy" may still describe the previous version. It counts only with the promotion's revision and digest, and when
 * health was computed after the sync.
 */
export function judgeHealth(status: ApplicationStatus | undefined, expected: ExpectedRollout): HealthVerdict {
  const { sync, health, operationState: operation, summary } = status ?? {};
  const refusal = findRefusal(status);
  if (refusal) return { state: 'refused', ...refusal };
  if (!expected.isRevisionSynced)
    return {
      state: 'waiting',
      message:
        gitopsRepoViolation(status) ??
        findConditionMessage(status, 'ComparisonError') ??
        'the controller has not read the commit of the promotion yet',
    };
  const forbidden = findForbiddenResource(operation, expected.mergedAtMs);
  if (forbidden !== undefined) return { state: 'failed', message: forbidden };
  if (!operation || operation.phase === 'Running') return { state: 'waiting', message: 'the sync is in progress' };
  const finishedAtMs = Date.parse(operation.finishedAt ?? '');
  const isPromotionSync = finishedAtMs >= expected.mergedAtMs - clockSkewMs;
  if (isPromotionSync && (operation.phase === 'Failed' || operation.phase === 'Error'))
    return { state: 'failed', message: operation.message ?? 'the sync failed' };
  if (sync?.status !== 'Synced')
    return { state: 'waiting', message: findConditionMessage(status, 'ComparisonError') ?? 'the zone is out of sync' };
  if (isPromotionSync && !(Date.parse(status?.reconciledAt ?? '') >= finishedAtMs))
    return { state: 'waiting', message: 'health has not been computed since the sync' };
  if (health?.status === 'Degraded') return { state: 'degraded', message: health.message ?? 'the app is degraded' };
  if (health?.status !== 'Healthy') return { state: 'waiting', message: health?.message ?? 'the app is starting' };
  // Without changes to sync, the operation is an old one, and only the digest shows that the promoted version runs.
  const runsDigest = (summary?.images ?? []).some((image) => image.endsWith(`@${expected.digest}`));
  if (!runsDigest && (expected.replicas > 0 || !isPromotionSync))
    return { state: 'waiting', message: 'the previous version is still running' };
  return { state: 'healthy' };
}

/** The controller has its own clock and rounds its times to seconds. */
const clockSkewMs = 2_000;

const findConditionMessage = (status: ApplicationStatus | undefined, type: string): string | undefined =>
  status?.conditions?.find((condition) => condition.type === type)?.message;

/** Argo CD reports a project that an Application must not use as an unknown error. */
function findRefusal(status: ApplicationStatus | undefined): { message: string; fix?: string } | undefined {
  const message = status?.conditions?.find(
    ({ type, message: text }) =>
      type === 'InvalidSpecError' || (type === 'UnknownError' && text.includes('not permitted to use project')),
  )?.message;
  if (message === undefined) return undefined;
  const cluster = /no clusters with this name: (\S+)/.exec(message)?.[1];
  if (cluster === undefined) return { message };
  return { message: `Argo CD has no cluster "${cluster}".`, fix: addClusterFix(cluster) };
}

/** Argo CD retries such a sync for minutes, although only another commit can change its outcome. */
function findForbiddenResource(operation: ApplicationStatus['operationState'], mergedAtMs: number): string | undefined {
  if (!operation || Date.parse(operation.startedAt) < mergedAtMs - clockSkewMs) return undefined;
  const resources = operation.syncResult?.resources ?? [];
  const messages = resources.flatMap(({ kind, name, status, message = '' }) =>
    status === 'SyncFailed' && message.includes('not permitted in project') ? [`${kind} "${name}": ${message}`] : [],
  );
  return messages.length > 0 ? messages.join('; ') : undefined;
}
