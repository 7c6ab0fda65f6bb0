import { expect, it } from 'vitest';
import {
  listGroupNames,
  listProviders,
  toPointers,
  toSpec,
  withProviderGroups,
} from '../../../../../../src/clients/ui/pages/settings/access/provider-groups.ts';

const sso = { name: 'sso', label: 'Example SSO' };
const group = {
  name: 'team',
  role: 'member' as const,
  members: [' priya@example.com ', ''],
  providerGroups: [
    { provider: 'former', group: 'staff' },
    { provider: 'sso', group: 'developers' },
  ],
};

it('lists the providers that can be chosen, and one that is gone', () => {
  expect(listProviders([sso], group)).toEqual([sso, { name: 'former', label: 'former' }]);
  expect(listProviders([sso], { ...group, providerGroups: [] })).toEqual([sso]);
  expect(listGroupNames(group, 'sso')).toEqual(['developers']);
});

it('replaces the groups of one provider only, and saves no empty lines', () => {
  const edited = withProviderGroups(group, 'sso', ['', 'makers', 'x'.repeat(300)]);
  expect(toSpec(edited)).toMatchObject({
    members: ['priya@example.com'],
    providerGroups: [{ provider: 'former' }, { group: 'makers' }, { provider: 'sso' }],
  });
  expect(toPointers(edited, { index: 4, provider: 'sso' })).toEqual([
    '/accessGroups/4/providerGroups/1',
    '/accessGroups/4/providerGroups/2',
  ]);
  const emptied = withProviderGroups(withProviderGroups(group, 'former', []), 'sso', ['', ' ']);
  expect(toSpec(emptied)).toEqual({ name: 'team', role: 'member', members: ['priya@example.com'] });
});
