import { describe, expect, it } from 'vitest';
import type { ApplicationStatus } from '../../../src/kinds/argo-cd.ts';
import { type ExpectedRollout, judgeHealth } from '../../../src/rules/environments/judge-health.ts';

const mergedAt = '2026-01-01T12:00:10Z';
const rollout: ExpectedRollout = {
  digest: 'sha256:new',
  replicas: 1,
  mergedAtMs: Date.parse(mergedAt),
  isRevisionSynced: true,
};
const settled: ApplicationStatus = {
  sync: { status: 'Synced', revision: 'abc' },
  health: { status: 'Healthy' },
  operationState: {
    phase: 'Succeeded',
    startedAt: '2026-01-01T12:00:11Z',
    finishedAt: '2026-01-01T12:00:12Z',
    syncResult: { revision: 'abc' },
  },
  summary: { images: ['registry/hello@sha256:new'] },
  reconciledAt: '2026-01-01T12:00:13Z',
};

const operation = { phase: 'Succeeded' as const, startedAt: mergedAt, finishedAt: '2026-01-01T12:00:12Z' };

describe('judgeHealth', () => {
  it('is healthy when revision, operation, health and digest match the promotion', () => {
    expect(judgeHealth(settled, rollout)).toEqual({ state: 'healthy' });
  });

  it.each([
    ['the revision is not synced yet', settled, { isRevisionSynced: false }, 'waiting'],
    [
      'the sync is still running',
      { ...settled, operationState: { phase: 'Running', startedAt: mergedAt } },
      {},
      'waiting',
    ],
    [
      'the old image runs and the last sync is older than the merge',
      {
        ...settled,
        summary: { images: [] },
        operationState: { phase: 'Succeeded', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:00Z' },
      },
      {},
      'waiting',
    ],
    [
      'there was nothing to sync because the version already runs',
      { ...settled, operationState: { phase: 'Succeeded', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:00Z' } },
      {},
      'healthy',
    ],
    ['health was computed before the sync ended', { ...settled, reconciledAt: '2026-01-01T12:00:11Z' }, {}, 'waiting'],
    ['the old image still runs', { ...settled, summary: { images: ['registry/hello@sha256:old'] } }, {}, 'waiting'],
    ['the app is progressing', { ...settled, health: { status: 'Progressing' } }, {}, 'waiting'],
    ['the app is degraded', { ...settled, health: { status: 'Degraded' } }, {}, 'degraded'],
    [
      'the sync failed',
      {
        ...settled,
        operationState: { phase: 'Failed', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:12Z', message: 'no' },
      },
      {},
      'failed',
    ],
    ['there is no status', undefined, { isRevisionSynced: false }, 'waiting'],
  ] as [string, ApplicationStatus | undefined, Partial<ExpectedRollout>, string][])(
    'when %s, is %s',
    (_, status, changes, state) => {
      expect(judgeHealth(status, { ...rollout, ...changes }).state).toBe(state);
    },
  );

  it.each([
    ['InvalidSpecError', "do not match any of the allowed destinations in project 'org-acme'", 'refused'],
    ['UnknownError', "is not permitted to use project 'org-other'", 'refused'],
    ['UnknownError', 'connection refused', 'healthy'],
  ])('reports what the project of the org refuses: %s, %s', (type, message, state) => {
    const conditions = [{ type, message }];
    expect(judgeHealth({ ...settled, conditions }, rollout).state).toBe(state);
  });

  it('tells how to add a cluster that Argo CD does not know', () => {
    const conditions = [{ type: 'InvalidSpecError', message: 'there are no clusters with this name: apart' }];
    expect(judgeHealth({ ...settled, conditions }, rollout)).toEqual({
      state: 'refused',
      message: 'Argo CD has no cluster "apart".',
      fix: 'Add the cluster to Argo CD under this name: argocd cluster add <context> --name apart',
    });
  });

  it('fails at once when the sync contains a resource that the project of the org forbids', () => {
    const message = 'resource rbac.authorization.k8s.io:ClusterRoleBinding is not permitted in project org-acme';
    const resources = [{ kind: 'ClusterRoleBinding', name: 'evil', status: 'SyncFailed', message }];
    const toStatus = (startedAt: string): ApplicationStatus => ({
      ...settled,
      operationState: { phase: 'Running', startedAt, syncResult: { revision: 'r', resources } },
    });
    expect(judgeHealth(toStatus(new Date(rollout.mergedAtMs).toISOString()), rollout)).toEqual({
      state: 'failed',
      message: `ClusterRoleBinding "evil": ${message}`,
    });
    // An operation from before the promotion says nothing about it.
    expect(judgeHealth(toStatus('2020-01-01T00:00:00Z'), rollout).state).toBe('waiting');
  });

  it.each<[description: string, changed: ApplicationStatus, isRevisionSynced: boolean, message: string]>([
    [
      'the repository cannot be read',
      { conditions: [{ type: 'ComparisonError', message: 'bad YAML' }] },
      false,
      'bad YAML',
    ],
    ['the commit was not read', {}, false, 'the controller has not read the commit of the promotion yet'],
    ['the zone is out of sync', { sync: { status: 'OutOfSync' } as never }, true, 'the zone is out of sync'],
    [
      'the chart cannot be rendered',
      { sync: { status: 'Unknown' } as never, conditions: [{ type: 'ComparisonError', message: 'no chart' }] },
      true,
      'no chart',
    ],
    ['the sync failed without a reason', { operationState: { ...operation, phase: 'Error' } }, true, 'the sync failed'],
    ['the app says why it waits', { health: { status: 'Progressing', message: '0 of 1' } }, true, '0 of 1'],
    ['the app starts', { health: { status: 'Progressing' } }, true, 'the app is starting'],
    ['the app says why it is degraded', { health: { status: 'Degraded', message: 'crash' } }, true, 'crash'],
    ['the app is degraded', { health: { status: 'Degraded' } }, true, 'the app is degraded'],
  ])('says that %s', (_, changed, isRevisionSynced, message) => {
    expect(judgeHealth({ ...settled, ...changed }, { ...rollout, isRevisionSynced })).toMatchObject({ message });
  });

  it('takes a sync that ended shortly before the merge for that of the promotion, because clocks differ', () => {
    const failedAt = (finishedAt: string) =>
      judgeHealth({ ...settled, operationState: { ...operation, phase: 'Failed', finishedAt } }, rollout).state;
    expect([failedAt('2026-01-01T12:00:08Z'), failedAt('2026-01-01T12:00:07Z')]).toEqual(['failed', 'healthy']);
  });

  it('needs no running image in a zone without replicas', () => {
    expect(judgeHealth({ ...settled, summary: { images: [] } }, { ...rollout, replicas: 0 }).state).toBe('healthy');
  });
});
