import { expect, it } from 'vitest';
import { archiveLimits } from '../../../src/rules/products/archive-limits.ts';
import {
  type ArchiveEntry,
  archiveViolation,
  toTopFolder,
  listArchiveFiles,
} from '../../../src/rules/products/archive-violation.ts';

const build = (path: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  path,
  kind: path.endsWith('/') ? 'folder' : 'file',
  bytes: 10,
  compressedBytes: 5,
  executable: false,
  ...more,
});

it('accepts files, and the folders that contain them in any order', () => {
  expect(archiveViolation([build('a/b/c'), build('a/'), build('a/b/'), build('a/d')])).toBeUndefined();
});

it.each<[ArchiveEntry[], string]>([
  [[build('a'), build('a')], 'has the same name as "a"'],
  [[build('a/x'), build('A/y')], '"A/y" has the same name as "a"'],
  [[build('a'), build('a/x')], 'has the same name'],
  [[build('a/x'), build('a')], 'has the same name'],
  [[build('e\u0301'), build('\u00e9')], 'has the same name'],
  [[build('x', { bytes: archiveLimits.fileBytes + 1, compressedBytes: archiveLimits.fileBytes })], 'MiB: remove it'],
  [[build('x', { bytes: 2_000_000, compressedBytes: 9_000 })], 'more than 200 times'],
])('refuses %j', (entries, expected) => {
  expect(archiveViolation(entries)).toContain(expected);
});

it('allows small files to be compressed more', () => {
  expect(archiveViolation([build('x', { bytes: 1_000_000, compressedBytes: 1_000 })])).toBeUndefined();
});

it('finds the only folder at the top', () => {
  expect(toTopFolder([build('shop/a'), build('shop/b/c')])).toBe('shop/');
  expect(toTopFolder([build('shop/a'), build('b')])).toBe('');
  expect(toTopFolder([build('shop/a'), build('shopping/b')])).toBe('');
  expect(toTopFolder([build('index.html')])).toBe('');
});

it('leaves out the metadata of macOS', () => {
  const files = listArchiveFiles([build('a'), build('__MACOSX/._a'), build('b/.DS_Store'), build('b/')]);
  expect(files.map(({ path }) => path)).toEqual(['a']);
});
