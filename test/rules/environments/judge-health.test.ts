import { describe, expect, it } from 'vitest';
import type { ApplicationStatus } from '../../../src/rules/environments/delivery-kinds.ts';
import { type HealthQuestion, judgeHealth } from '../../../src/rules/environments/judge-health.ts';

const mergedAt = '2026-01-01T12:00:10Z';
const question: HealthQuestion = {
  digest: 'sha256:new',
  replicas: 1,
  mergedAtMs: Date.parse(mergedAt),
  revisionIsOurs: true,
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

describe('judgeHealth', () => {
  it('is healthy only when revision, operation, health and digest are all ours', () => {
    expect(judgeHealth(settled, question)).toEqual({ state: 'healthy' });
  });

  it.each([
    ['the revision is not ours yet', settled, { revisionIsOurs: false }, 'waiting'],
    [
      'the sync is still running',
      { ...settled, operationState: { phase: 'Running', startedAt: mergedAt } },
      {},
      'waiting',
    ],
    [
      'the old image runs and the last sync is from before our merge',
      {
        ...settled,
        summary: { images: [] },
        operationState: { phase: 'Succeeded', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:00Z' },
      },
      {},
      'waiting',
    ],
    [
      'there was nothing to sync because ours runs already',
      { ...settled, operationState: { phase: 'Succeeded', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:00Z' } },
      {},
      'healthy',
    ],
    ['health was computed before the sync ended', { ...settled, reconciledAt: '2026-01-01T12:00:11Z' }, {}, 'waiting'],
    ['the old image still runs', { ...settled, summary: { images: ['registry/hello@sha256:old'] } }, {}, 'waiting'],
    ['it is progressing', { ...settled, health: { status: 'Progressing' } }, {}, 'waiting'],
    ['it is degraded', { ...settled, health: { status: 'Degraded' } }, {}, 'degraded'],
    [
      'the sync failed',
      {
        ...settled,
        operationState: { phase: 'Failed', startedAt: mergedAt, finishedAt: '2026-01-01T12:00:12Z', message: 'no' },
      },
      {},
      'failed',
    ],
    ['nothing is known', undefined, { revisionIsOurs: false }, 'waiting'],
  ] as [string, ApplicationStatus | undefined, Partial<HealthQuestion>, string][])(
    'when %s: %s',
    (_, status, changes, state) => {
      expect(judgeHealth(status, { ...question, ...changes }).state).toBe(state);
    },
  );

  it('a zone of no replicas needs no running image', () => {
    expect(judgeHealth({ ...settled, summary: { images: [] } }, { ...question, replicas: 0 }).state).toBe('healthy');
  });
});
