import { expect, it } from 'vitest';
import { zonePhases, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, patchReleaseZone } from '../../../src/rules/releases/release-status.ts';

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
