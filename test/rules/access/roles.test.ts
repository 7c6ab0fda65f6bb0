import { describe, expect, it } from 'vitest';
import { actionsFor, refusal } from '../../../src/rules/access/actions.ts';
import type { AccessGroup } from '../../../src/rules/access/kinds.ts';
import { roleInOrg } from '../../../src/rules/access/role-in-org.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import { signInPauseMs, signInWindowMs } from '../../../src/rules/access/sign-in-throttle.ts';

const group = (role: OrgRole, ...members: string[]) => ({ spec: { name: role, role, members } }) as AccessGroup;

describe('the role in an org', () => {
  it('is the highest that any group gives, however the address is written', () => {
    const groups = [
      group('viewer', 'jo@example.com'),
      group('member', 'JO@example.com'),
      group('org-admin', 'kim@example.com'),
    ];
    expect(roleInOrg('Jo@Example.com', groups)).toBe('member');
    expect(roleInOrg('nobody@example.com', groups)).toBeUndefined();
  });

  it.each<[OrgRole | undefined, OrgRole, boolean]>([
    [undefined, 'viewer', false],
    ['viewer', 'viewer', true],
    ['viewer', 'member', false],
    ['org-admin', 'member', true],
  ])('%s may do what takes %s: %s', (held, needed, may) => {
    expect(refusal(held, needed) === undefined).toBe(may);
    expect(actionsFor(held, [{ name: 'x', needs: needed }])[0]?.allowed).toBe(may);
  });

  it('does not help against a state that stands in the way', () => {
    expect(actionsFor('org-admin', [{ name: 'cancelRun', needs: 'member', hindrance: 'It is over.' }])).toEqual([
      { name: 'cancelRun', allowed: false, why: 'It is over.' },
    ]);
  });
});

describe('attempts to sign in', () => {
  const attempts = Array.from({ length: 10 }, (_, at) => at * 1000);

  it('are free up to ten in a quarter of an hour', () => {
    expect(signInPauseMs(attempts.slice(1), 10_000)).toBeUndefined();
    expect(signInPauseMs(attempts, 10_000)).toBe(signInWindowMs - 10_000);
    expect(signInPauseMs(attempts, signInWindowMs + 1)).toBeUndefined();
  });
});
