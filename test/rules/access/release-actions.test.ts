import { expect, it } from 'vitest';
import { isReleaseFinished, releaseActions } from '../../../src/rules/access/release-actions.ts';
import { type Release, ReleaseKind, releasePhases, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { buildResource } from '../build-resource.ts';

const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
const release = (more: Partial<ReleaseStatus> = {}): Release => {
  const status: ReleaseStatus = { phase: 'Promoting', zones: [], ...more };
  return buildResource(ReleaseKind, { spec, status });
};

it('lists decisions only for zones that wait for approval', () => {
  const zones = [
    { name: 'rc', phase: 'Verified' as const },
    { name: 'prod', phase: 'WaitingForApproval' as const },
  ];
  expect(releaseActions(release({ zones }), 'member')).toEqual([
    { name: 'approvePromotion', zone: 'prod', allowed: true },
    { name: 'rejectPromotion', zone: 'prod', allowed: true },
    { name: 'cancelRelease', allowed: true },
  ]);
});

it('does not allow to cancel a finished Release', () => {
  expect(releaseActions(release({ phase: 'Failed' }), 'member')).toEqual([
    { name: 'cancelRelease', allowed: false, reason: 'state-conflict', message: 'The Release is already Failed.' },
  ]);
});

it('knows the phases in which a Release has finished', () => {
  expect(releasePhases.filter((phase) => isReleaseFinished(release({ phase })))).toEqual([
    'Succeeded',
    'Failed',
    'Superseded',
    'Cancelled',
  ]);
  expect(isReleaseFinished(buildResource(ReleaseKind, { spec }))).toBe(false);
});
