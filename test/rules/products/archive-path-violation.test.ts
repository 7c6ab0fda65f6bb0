import { expect, it } from 'vitest';
import { archivePathViolation } from '../../../src/rules/products/archive-path-violation.ts';

it.each(['index.html', 'a/b/c.css', 'folder/', '.gitignore', '.github/workflows/ci.yml', 'a..b', 'git/x', 'über/né'])(
  'accepts %s',
  (path) => expect(archivePathViolation(path)).toBeUndefined(),
);

it.each([
  ['.git', 'git folder'],
  ['a/.git/config', 'git folder'],
  ['.GiT/x', 'git folder'],
  ['.git./x', 'git folder'],
  ['.git /x', 'git folder'],
  ['GIT~1/x', 'git folder'],
  ['git~1. /x', 'git folder'],
  ['.git.:x/y', 'git folder'],
  ['.git::$INDEX_ALLOCATION/x', 'git folder'],
  ['.g\u200cit/x', 'git folder'],
  ['.service/artifacts/x', 'folder of the service'],
  ['a//b', 'empty name'],
  ['', 'empty name'],
  ['a/./b', 'leads out'],
  ['..', 'leads out'],
  ['a\nb', 'control character'],
  ['c:/x', 'absolute path'],
  ['//server/x', 'absolute path'],
  [`${'a'.repeat(256)}`, '255 bytes'],
  [`${'aaaa/'.repeat(201)}x`, '1000 bytes'],
])('refuses %j with its fix', (path, expected) => {
  expect(archivePathViolation(path)).toMatch(new RegExp(`${expected}.*: `));
});
