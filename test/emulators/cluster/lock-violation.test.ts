import { expect, it } from 'vitest';
import { listLockFolders, type Lock, lockViolation } from '../../../src/emulators/cluster/lock-violation.ts';

const toLock = (packages: Record<string, object | null>, lockfileVersion: unknown = 3): Lock => ({
  name: 'package-lock.json',
  content: { lockfileVersion, packages: { '': {}, ...packages } },
});
const judge = (entry: object) => lockViolation(toLock({ 'node_modules/words': entry }), 'https://npm.internal/repo/');

it.each([
  [{ version: '1.0.0' }],
  [{ resolved: 'https://registry.npmjs.org/words/-/words-1.0.0.tgz' }],
  [{ resolved: 'https://npm.internal/repo/words/-/words-1.0.0.tgz' }],
  [{ resolved: 'packages/words', link: true }],
])('accepts %j', (entry) => {
  expect(judge(entry)).toBeUndefined();
});

it.each([
  'git+ssh://git@code.example/words.git#c0ffee',
  'git+https://code.example/words.git#c0ffee',
  'git+file:///workspace/words#c0ffee',
  'github:acme/words',
  'http://127.0.0.1:7233/words.tgz',
  'http://npm.internal/words.tgz',
  'https://npm.internal.evil.example/words.tgz',
  'https://evil.example/words.tgz',
  'file:words.tgz',
  7,
])('refuses a package from %s, and names it', (resolved) => {
  expect(judge({ resolved })).toBe(
    `The package "words" in package-lock.json comes from ${JSON.stringify(resolved)}, and builds install only from the registry (https://npm.internal) and from folders of the repo. Depend on a published version of it, run "npm install" and commit the lock file.`,
  );
});

it.each(['../words', '/etc', 'packages/../../words', 'C:\\words'])('refuses the folder %s', (resolved) => {
  expect(judge({ resolved, link: true })).toContain('The package "words"');
  expect(lockViolation(toLock({ [resolved]: {} }), 'https://npm.internal')).toContain(`invalid entry "${resolved}"`);
});

it('refuses an old format and entries that are no objects', () => {
  expect(lockViolation(toLock({}, 1), 'https://npm.internal')).toContain('old format');
  expect(lockViolation(toLock({ 'node_modules/words': null }), 'https://npm.internal')).toContain('invalid entry');
});

it('lists the folders of the repo that are packages', () => {
  const packages = { 'node_modules/a': {}, 'packages/b': {}, 'packages/b/node_modules/c': {} };
  expect(listLockFolders(toLock(packages))).toEqual(['packages/b']);
});
