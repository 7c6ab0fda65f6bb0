import { expect, it } from 'vitest';
import { registryPushViolation } from '../../../src/rules/registries/registry-push-violation.ts';
import type { RegistryAccess } from '../../../src/rules/registries/registry.ts';

const judge = (access: RegistryAccess, repositoryPrefix?: string): string | undefined =>
  registryPushViolation({
    name: 'images',
    username: 'ada',
    repositoryPrefix,
    lastCheck: { access, at: '2026-11-25T08:00:00.000Z' },
  });

it('lets builds push where the last check could', () => {
  expect(judge('pull-and-push', 'acme')).toBeUndefined();
});

it.each([
  ['pull', 'acme', 'lets the account "ada" pull but not push below acme: allow it to push there'],
  ['signed-in', undefined, 'has no repository prefix'],
] as const)('says what to do with an account that is %s', (access, repositoryPrefix, expected) => {
  expect(judge(access, repositoryPrefix)).toContain(expected);
  expect(judge(access, repositoryPrefix)).toContain('Settings, Registries');
});
