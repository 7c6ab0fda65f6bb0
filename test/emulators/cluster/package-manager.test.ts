import { expect, it } from 'vitest';
import { choosePackageManager, managerPackage } from '../../../src/emulators/cluster/package-manager.ts';

it.each([
  ['package-lock.json', '{}', undefined, 'npm@'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", undefined, 'pnpm@9.15.9'],
  ['pnpm-lock.yaml', 'lockfileVersion: 5.4', undefined, 'pnpm@7.33.7'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'pnpm@10.1.0+sha512.abc', 'pnpm@10.1.0'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'pnpm@latest; rm -rf /', 'pnpm@9.15.9'],
  ['yarn.lock', '# yarn lockfile v1', undefined, 'yarn@1.22.22'],
  ['yarn.lock', '__metadata:\n  version: 8', undefined, '@yarnpkg/cli-dist@4.9.2'],
])('chooses the manager of %s (%s, %s): %s', (lockName, text, declared, expected) => {
  const manager = choosePackageManager(new Map([[lockName, text]]), declared);
  expect(manager && `${managerPackage(manager)}@${manager.version}`).toBe(expected);
});

it('prefers the declared manager among several lock files, and else npm', () => {
  const locks = new Map([
    ['yarn.lock', '# yarn lockfile v1'],
    ['package-lock.json', '{}'],
  ]);
  expect(choosePackageManager(locks, 'yarn@1.22.19')).toMatchObject({ name: 'yarn', version: '1.22.19' });
  expect(choosePackageManager(locks, undefined)).toMatchObject({ name: 'npm' });
  expect(choosePackageManager(new Map(), undefined)).toBeUndefined();
});
