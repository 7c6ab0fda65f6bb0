import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readArchive } from '../../../src/integrations/archives/read-archive.ts';
import type { SourceFile } from '../../../src/rules/products/source-file.ts';
import { buildZip, type ZipEntry } from '../../support/build-zip.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const unpack = async (zip: Uint8Array): Promise<SourceFile[]> => await Array.fromAsync(readArchive(zip));
const refusal = async (zip: Uint8Array): Promise<string> => {
  const error = await unpack(zip).then(
    () => 'accepted',
    (cause: Error) => cause,
  );
  expect(error).toMatchObject({ code: 'invalid' });
  return (error as Error).message;
};
const page: ZipEntry = { name: 'index.html', content: '<h1>' };

it('unpacks files with their bytes and executable bits, without the only folder at the top', async () => {
  const files = await unpack(
    buildZip([
      { name: 'shop/', mode: 0o040755 },
      { name: 'shop/run.sh', content: '#!/bin/sh', mode: 0o100755 },
      { name: 'shop/deep/é.bin', content: Buffer.from([0, 255]), method: 0 },
      { name: 'shop/windows.txt', content: 'w', mode: 0 },
      { name: '__MACOSX/shop/._run.sh', content: 'x' },
      { name: 'shop/.DS_Store', content: 'x' },
    ]),
  );
  expect(files).toEqual([
    { path: 'run.sh', content: Buffer.from('#!/bin/sh'), executable: true },
    { path: 'deep/é.bin', content: Buffer.from([0, 255]), executable: false },
    { path: 'windows.txt', content: Buffer.from('w'), executable: false },
  ]);
});

it('keeps every character of a name', async () => {
  const files = await unpack(buildZip([page, { name: '\ufeffindex.html', content: 'other' }]));
  expect(files.map(({ path }) => path)).toEqual(['index.html', '\ufeffindex.html']);
});

it('reads archives of another program', async () => {
  const folder = await createScratchFolder();
  const script = `
import zipfile
with zipfile.ZipFile('site.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('index.html', '<h1>' * 1000)
    archive.writestr('über/a.css', 'h1 {}')
`;
  execFileSync('mkdir', ['-p', folder]);
  execFileSync('python3', ['-c', script], { cwd: folder });
  const zip = execFileSync('cat', ['site.zip'], { cwd: folder });
  expect((await unpack(zip)).map(({ path }) => path)).toEqual(['index.html', 'über/a.css']);
});

it.each<[string, ZipEntry, RegExp]>([
  ['..', { name: '../evil' }, /"\.\.\/evil" leads out of its folder/],
  ['.. inside', { name: 'a/../../evil' }, /leads out of its folder/],
  ['an absolute path', { name: '/etc/passwd' }, /"\/etc\/passwd" is an absolute path/],
  ['a drive letter', { name: 'C:evil' }, /is an absolute path/],
  ['a backslash', { name: '..\\evil' }, /contains a backslash/],
  [
    'a symbolic link',
    { name: 'link', content: '/etc/passwd', mode: 0o120777 },
    /"link" is a symbolic link: replace it/,
  ],
  ['a link without the mark of Unix', { name: 'link/', mode: 0o120777 }, /is a symbolic link/],
  ['a device', { name: 'null', mode: 0o020666 }, /"null" is neither a file nor a folder/],
  ['a pipe', { name: 'pipe', mode: 0o010666 }, /is neither a file nor a folder/],
  ['a file that claims to be a folder', { name: 'a/', mode: 0o100644 }, /is neither a file nor a folder/],
  ['a git folder', { name: '.git/config' }, /part of a git folder: remove "\.git"/],
  ['a nested git folder', { name: 'a/.GIT/hooks/post-checkout' }, /part of a git folder/],
  ['a password', { name: 'secret', encrypted: true }, /"secret" is encrypted/],
  ['an unknown compression', { name: 'lzma', method: 14 }, /compressed with an unknown method/],
  ['a name that is not UTF-8', { name: Buffer.from([0xff, 0x2e]) }, /not UTF-8/],
  ['a NUL', { name: 'a\u0000.html' }, /control character/],
  ['a duplicate', { name: 'index.html' }, /"index\.html" has the same name as "index\.html"/],
  ['a name that differs in case', { name: 'INDEX.html' }, /"INDEX\.html" has the same name as "index\.html"/],
  ['a folder with the name of a file', { name: 'index.html/a' }, /has the same name/],
  [
    'a file that is too large',
    { name: 'big', content: Buffer.alloc(5 * 1024 * 1024 + 1) },
    /"big" has more than 5 MiB/,
  ],
  ['a bomb', { name: 'bomb', content: Buffer.alloc(4 * 1024 * 1024) }, /unpacks to more than 200 times its size/],
])('refuses %s, and names the entry', async (_, entry, expected) => {
  expect(await refusal(buildZip([page, entry]))).toMatch(expected);
});

it('refuses a bomb that declares a small size, without unpacking it', async () => {
  const bomb = { name: 'bomb', content: Buffer.alloc(200 * 1024 * 1024), declaredBytes: 1_000 };
  const zip = buildZip([page, bomb]);
  const before = process.memoryUsage().arrayBuffers;
  expect(await refusal(zip)).toMatch(/The entry "bomb" is damaged: too many bytes/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
});

it.each([
  ['2,001 files', 2_001, /contains 2001 files, and at most 2000 are allowed/],
  ['10,000 files', 10_000, /contains 10000 files, and at most 2000 are allowed/],
  ['10,001 files', 10_001, /contains 10001 entries, and at most 2000 files/],
])('refuses %s', async (_, count, expected) => {
  const entries = Array.from({ length: count }, (__, index) => ({ name: `f${index}`, content: '' }));
  expect(await refusal(buildZip(entries))).toMatch(expected);
});

it('accepts 2,000 files, and refuses more than 100 MiB of them together', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => ({ name: `f${index}`, content: '' }));
  expect(await unpack(buildZip(many))).toHaveLength(2_000);
  const noise = Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 7919) % 251));
  const large = Array.from({ length: 21 }, (_, index) => ({
    name: `f${index}`,
    content: Buffer.concat(Array.from({ length: 80 }, () => noise)),
    method: 0,
  }));
  expect(await refusal(buildZip(large))).toMatch(/more than 100 MiB together/);
});

it.each([
  ['no archive', Buffer.from('<html>'), /not a readable ZIP archive/],
  ['an empty archive', buildZip([]), /contains no file/],
  ['folders only', buildZip([{ name: 'a/', mode: 0o040755 }]), /contains no file/],
  ['a cut archive', buildZip([page, { name: 'b', content: 'b' }]).subarray(0, 60), /not a readable ZIP archive/],
  ['a wrong checksum', buildZip([{ ...page, crc: 1 }]), /"index\.html" is damaged: its checksum is wrong/],
])('refuses %s', async (_, zip, expected) => {
  expect(await refusal(zip)).toMatch(expected);
});

it('refuses any damaged archive with a reason, and never fails otherwise', async () => {
  const zip = buildZip([page, { name: 'a/b.css', content: 'h1 {}', mode: 0o100755 }]);
  for (let at = 0; at < zip.length; at += 1) {
    const damaged = Buffer.from(zip);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const outcome = await unpack(damaged).then(
      (files) => `${files.length} files`,
      (error: { code?: string }) => error.code,
    );
    expect(['invalid', '2 files'], `byte ${at}`).toContain(outcome);
  }
});
