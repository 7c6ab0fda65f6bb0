import { expect, it } from 'vitest';
import { listCurrentGroups } from '../../../src/rules/access/list-current-groups.ts';

const hourMs = 60 * 60_000;
const now = new Date('2026-11-25T12:00:00Z');
const identity = (provider: string, hours: number) => ({
  provider,
  providerUid: `uid-of-${provider}`,
  groups: ['developers', 'leads'],
  renewable: true,
  checkedAt: new Date(now.getTime() - hours * hourMs).toISOString(),
});

it('lists the groups that a known provider named in the last twelve hours', () => {
  const status = { identities: [identity('sso', 1), identity('old', 12), identity('gone', 1)] };
  const providerUids = new Set(['uid-of-sso', 'uid-of-old']);
  expect(listCurrentGroups({ status }, { providerUids, now })).toEqual([
    { provider: 'sso', group: 'developers' },
    { provider: 'sso', group: 'leads' },
  ]);
  expect(listCurrentGroups({}, { providerUids, now })).toEqual([]);
});
