import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { collectEvidence } from '../../../activities/agents/collect-evidence.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';

let tree: string;
let folder: string;
beforeEach(async () => {
  tree = await createFolder({ 'outside.txt': 'secret' });
  folder = join(tree, '.service/artifacts');
  await mkdir(folder, { recursive: true });
});

const write = async (name: string, text: string) => await writeFile(join(folder, name), text);
const collect = async () => {
  const { files, skipped } = await collectEvidence(tree);
  return { files: Object.fromEntries(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])), skipped };
};

it('collects the files of the folder and its subfolders in the order of their names', async () => {
  await mkdir(join(folder, 'b'));
  await write('c.txt', 'three');
  await write('b/2.txt', 'two');
  await write('a.txt', '');
  expect(Object.entries((await collect()).files)).toEqual([
    ['a.txt', ''],
    ['b/2.txt', 'two'],
    ['c.txt', 'three'],
  ]);
});

it('collects nothing without a folder', async () => {
  await rm(folder, { recursive: true });
  expect(await collect()).toEqual({ files: {}, skipped: [] });
  await rm(join(tree, '.service'), { recursive: true });
  expect(await collect()).toEqual({ files: {}, skipped: [] });
});

it.each(['.service', '.service/artifacts'])('follows no link at %s', async (path) => {
  const elsewhere = await createFolder({ 'artifacts/secret.txt': 'secret', 'secret.txt': 'secret' });
  await rm(join(tree, path), { recursive: true });
  await symlink(elsewhere, join(tree, path));
  const skipped = [{ name: '.service/artifacts', reason: 'It is not a folder.' }];
  expect(await collect()).toEqual({ files: {}, skipped });
});

it('expects a folder, not a file', async () => {
  await rm(folder, { recursive: true });
  await writeFile(folder, 'x');
  expect((await collect()).skipped).toEqual([{ name: '.service/artifacts', reason: 'It is not a folder.' }]);
});

it('collects regular files only', async () => {
  await symlink(join(tree, 'outside.txt'), join(folder, 'link'));
  await symlink(tree, join(folder, 'up'));
  const server = createServer().listen(join(folder, 'socket'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await write('fine.txt', 'fine');
  const { files, skipped } = await collect();
  expect(files).toEqual({ 'fine.txt': 'fine' });
  expect(skipped.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
    ['link', 'socket', 'up'].map((name) => ({ name, reason: 'It is not a file.' })),
  );
});

it('skips unreadable names, and shows them without what is unprintable', async () => {
  await mkdir(join(folder, 'd'.repeat(120)));
  await write(`${'d'.repeat(120)}/${'f'.repeat(79)}`, 'short enough');
  await write(`${'d'.repeat(120)}/${'f'.repeat(80)}`, 'too long');
  await write('a\u202egnp.exe', 'turned around');
  const { files, skipped } = await collect();
  expect(Object.values(files)).toEqual(['short enough']);
  expect(skipped).toContainEqual({ name: 'a\ufffdgnp.exe', reason: 'Its name has unprintable characters.' });
  const [long] = skipped.filter(({ name }) => name.startsWith('d'));
  expect(long).toEqual({
    name: `${'d'.repeat(120)}/${'f'.repeat(79)}`,
    reason: 'Its name has more than 200 characters.',
  });
});

it('keeps at most twelve files of 700 KB', async () => {
  for (let index = 10; index < 23; index += 1) await write(`f${index}`, '');
  await truncate(join(folder, 'f10'), 700 * 1024);
  await write('a-large', '');
  await truncate(join(folder, 'a-large'), 700 * 1024 + 1);
  const { files, skipped } = await collect();
  expect(Object.keys(files)).toHaveLength(12);
  expect(files['f10']).toHaveLength(700 * 1024);
  expect(skipped).toEqual([
    { name: 'a-large', reason: 'It is larger than 700 KB.' },
    { name: 'f22', reason: 'A step can have at most 12 evidence files.' },
  ]);
});

it('lists at most twenty skipped files', async () => {
  const link = async (index: number) => await symlink('/', join(folder, `link-${index}`));
  for (let index = 0; index < 20; index += 1) await link(index);
  expect((await collect()).skipped.map(({ name }) => name)).not.toContain('… and 0 more');
  for (let index = 20; index < 23; index += 1) await link(index);
  const { skipped } = await collect();
  expect(skipped).toHaveLength(21);
  expect(skipped.at(-1)).toEqual({ name: '… and 3 more', reason: 'They are not listed.' });
});

it('stops after a thousand entries of all folders together', async () => {
  const reason = 'The folder has more than 1000 entries, and only some were read.';
  const fill = async (name: string, count: number) => {
    await mkdir(join(folder, name));
    execFileSync(
      'touch',
      Array.from({ length: count }, (_, index) => join(folder, name, String(index))),
    );
  };
  await fill('a', 499);
  await fill('b', 499);
  const expected = { name: '.service/artifacts', reason };
  expect((await collect()).skipped).not.toContainEqual(expected);
  await write('c', 'third');
  expect((await collect()).skipped).toContainEqual(expected);
});
