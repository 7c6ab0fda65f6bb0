import { Context } from '@temporalio/activity';
import type { Application } from '../../src/kinds/argo-cd.ts';
import { gitopsRepoViolation } from '../../src/rules/environments/gitops-access.ts';
import { judgeHealth } from '../../src/rules/environments/judge-health.ts';
import { refreshApplication } from './application.ts';
import type { EnvironmentDeps, ZoneRef } from './environment-deps.ts';
import {
  createRevisionCheck,
  explainDegraded,
  type HealthOutcome,
  toHealthDeadline,
  waitUntilHealthy,
} from './health.ts';
import { recordGitopsAccess } from './record-gitops-access.ts';
import type { ZonePreparation } from './zone-preparation.ts';
import { isZoneDesired } from './zone-status.ts';

export type WaitForHealthInput = ZoneRef & {
  digest: string;
  gitopsCommit: string;
  mergedAt: string;
  timeoutMs: number;
};

/** Waits until the controller has reported our commit with our digest as synced and healthy in two reads. */
export async function waitForZoneHealth(
  { deps, zones }: { deps: EnvironmentDeps; zones: ZonePreparation },
  input: WaitForHealthInput,
): Promise<HealthOutcome> {
  const { store, codehost, healthRecheckDelayMs, now } = deps;
  const { getZoneSpec, getGitopsRepo, applyApplication } = zones;
  const spec = await getZoneSpec(input);
  const isRevisionSynced = await createRevisionCheck(codehost, input.org, {
    repo: await getGitopsRepo(input.org),
    commit: input.gitopsCommit,
  });
  const { cluster: name } = spec;
  const judge = async ({ status, metadata }: Application) => {
    await recordGitopsAccess(store, input, { violation: gitopsRepoViolation(status), now });
    const verdict = judgeHealth(metadata.deletionTimestamp === undefined ? status : undefined, {
      digest: input.digest,
      replicas: spec.replicas ?? 1,
      mergedAtMs: Date.parse(input.mergedAt),
      isRevisionSynced: await isRevisionSynced(status?.sync?.revision),
    });
    if (verdict.state !== 'degraded') return verdict;
    const cluster = name === undefined ? store : (await deps.workloadClusters.find(name))?.objects;
    return { ...verdict, message: await explainDegraded({ store, cluster }, input, verdict) };
  };
  await applyApplication(input);
  // A person may have deleted the Application.
  const onMissing = async (): Promise<void> => {
    if (await isZoneDesired(store, input)) await applyApplication(input);
  };
  const refresh = async (): Promise<void> => await refreshApplication(store, input);
  const deadline = toHealthDeadline(input, Date.now());
  return await waitUntilHealthy(
    { store, healthRecheckDelayMs, now },
    { input, judge, onMissing, refresh, deadline, signal: Context.current().cancellationSignal },
  );
}
