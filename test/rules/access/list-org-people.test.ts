import { describe, expect, it } from 'vitest';
import type { AccessGroup, User } from '../../../src/rules/access/kinds.ts';
import { listOrgPeople, toVisiblePeople } from '../../../src/rules/access/list-org-people.ts';
import type { ProviderGroup } from '../../../src/rules/access/provider-group.ts';

const group = (name: string, spec: Partial<AccessGroup['spec']>): AccessGroup =>
  ({ metadata: { name }, spec: { name, role: 'member', members: [], ...spec } }) as unknown as AccessGroup;
const user = (email: string, platformAdmin = false): User =>
  ({ metadata: { name: `user-${email.split('@')[0]}` }, spec: { email, platformAdmin } }) as unknown as User;
const list = (groups: AccessGroup[], users: User[] = [], held: Record<string, ProviderGroup[]> = {}) =>
  listOrgPeople({ groups, users, listProviderGroups: ({ spec }) => held[spec.email] ?? [] });

describe('the people of an org', () => {
  it('have the highest role of their groups, and every group as a reason', () => {
    const groups = [
      group('admins', { role: 'org-admin', members: ['Ada@Example.com', 'ada@example.com'] }),
      group('readers', { role: 'viewer', members: ['ada@example.com', 'ben@example.com'] }),
    ];
    expect(list(groups, [user('ada@example.com')])).toEqual([
      {
        email: 'ada@example.com',
        user: 'user-ada',
        role: 'org-admin',
        platformAdmin: false,
        reasons: [
          { accessGroup: 'admins', role: 'org-admin' },
          { accessGroup: 'readers', role: 'viewer' },
        ],
      },
      {
        email: 'ben@example.com',
        role: 'viewer',
        platformAdmin: false,
        reasons: [{ accessGroup: 'readers', role: 'viewer' }],
      },
    ]);
  });

  it('include those who are in a group at the provider, and no one who has a group of that name at another', () => {
    const providerGroup = { provider: 'corp', group: 'builders' };
    const groups = [
      group('makers', { providerGroups: [providerGroup, { provider: 'corp', group: 'others' }] }),
      group('watchers', { role: 'viewer', providerGroups: [providerGroup] }),
    ];
    const held = { 'cy@x.com': [providerGroup], 'di@x.com': [{ provider: 'club', group: 'builders' }] };
    expect(list(groups, [user('cy@x.com'), user('di@x.com'), user('ed@x.com')], held)).toEqual([
      {
        email: 'cy@x.com',
        user: 'user-cy',
        role: 'member',
        platformAdmin: false,
        reasons: [
          { accessGroup: 'makers', role: 'member', providerGroup },
          { accessGroup: 'watchers', role: 'viewer', providerGroup },
        ],
      },
    ]);
  });

  it('include platform admins, who need no group', () => {
    const groups = [group('readers', { role: 'viewer', members: ['root@x.com'] })];
    expect(list(groups, [user('root@x.com', true), user('eve@x.com', true)])).toEqual([
      {
        email: 'root@x.com',
        user: 'user-root',
        role: 'org-admin',
        platformAdmin: true,
        reasons: [{ accessGroup: 'readers', role: 'viewer' }],
      },
      { email: 'eve@x.com', user: 'user-eve', role: 'org-admin', platformAdmin: true, reasons: [] },
    ]);
  });
});

describe('the people whom a person sees', () => {
  const people = list(
    [group('readers', { role: 'viewer', members: ['ada@example.com'] })],
    [user('ada@example.com', true), user('root@example.com', true)],
  );

  it('are all of them for an org admin', () => {
    expect(toVisiblePeople(people, 'org-admin')).toEqual(people);
  });

  it.each(['member', 'viewer', undefined] as const)('have the role of their groups only for the role %s', (viewer) => {
    expect(toVisiblePeople(people, viewer)).toEqual([{ ...people[0], role: 'viewer', platformAdmin: false }]);
  });
});
