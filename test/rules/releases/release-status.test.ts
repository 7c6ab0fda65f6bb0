import { expect, it } from 'vitest';
import { zonePhases, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, patchReleaseZone, restartRelease } from '../../../src/rules/releases/release-status.ts';

const status: ReleaseStatus = {
  phase: 'Promoting',
  zones: [
    { name: 'rc', phase: 'Verified', address: 'http://rc' },
    { name: 'prod', phase: 'Pending' },
  ],
};

it('changes only the named zone, field by field', () => {
  expect(patchReleaseZone(status, 'rc', { phase: 'Failed', address: null }).zones).toEqual([
    { name: 'rc', phase: 'Failed' },
    { name: 'prod', phase: 'Pending' },
  ]);
});

it('adds a zone that has no entry', () => {
  expect(patchReleaseZone(status, 'new', { address: 'http://new' }).zones.at(-1)).toEqual({
    name: 'new',
    phase: 'Pending',
    address: 'http://new',
  });
});

it('knows the phases in which a promotion has finished', () => {
  expect(zonePhases.filter(isTerminalZonePhase)).toEqual(['Verified', 'Failed', 'Superseded', 'Rejected', 'Cancelled']);
});

it('begins a new entry for another Promotion', () => {
  const first = patchReleaseZone(status, 'rc', { promotion: 'p1', verifiedAt: '2026-01-01T00:00:00Z' });
  expect(first.zones[0]).toEqual({ name: 'rc', phase: 'Pending', promotion: 'p1', verifiedAt: '2026-01-01T00:00:00Z' });
  const same = patchReleaseZone(first, 'rc', { promotion: 'p1', phase: 'Verified' });
  expect(same.zones[0]).toMatchObject({ phase: 'Verified', verifiedAt: '2026-01-01T00:00:00Z' });
  const other = patchReleaseZone(same, 'rc', { promotion: 'p2', gitopsCommit: 'g' });
  expect(other.zones[0]).toEqual({ name: 'rc', phase: 'Pending', promotion: 'p2', gitopsCommit: 'g' });
});

it('keeps earlier attempts and the started runs when a Release starts again', () => {
  const started = (startedBy: string, day: number): ReleaseStatus => {
    return { phase: 'Building', startedBy, startedAt: `2026-01-0${day}T00:00:00Z`, zones: [] };
  };
  const first = restartRelease(undefined, started('ada', 1));
  expect(first).toEqual(started('ada', 1));
  expect(restartRelease(first, started('ada', 1))).toEqual(first);
  const cutRuns = [{ agentWorkflow: 'go-to-market', run: 'r1' }];
  const failed: ReleaseStatus = { ...first, phase: 'Failed', finishedAt: '2026-01-01T01:00:00Z', cutRuns };
  const second = restartRelease(failed, started('bob', 2));
  const attempt = {
    phase: 'Failed',
    startedBy: 'ada',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T01:00:00Z',
  };
  expect(second).toEqual({ ...started('bob', 2), cutRuns, attempts: [attempt] });
  expect(restartRelease(second, started('bob', 2))).toEqual(second);
  const third = restartRelease(
    { ...second, phase: 'Cancelled', finishedAt: '2026-01-02T01:00:00Z' },
    started('eve', 3),
  );
  expect(third.attempts?.map(({ startedBy, phase }) => `${startedBy} ${phase}`)).toEqual([
    'ada Failed',
    'bob Cancelled',
  ]);
});
