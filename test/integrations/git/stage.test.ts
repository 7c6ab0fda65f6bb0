import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEmptyCheckout, writeFiles } from './empty-checkout.ts';

const fileBytesMax = 5 * 1024 * 1024;

async function stage(files: Record<string, string | Buffer>) {
  const { checkout } = await openEmptyCheckout();
  await writeFiles(checkout, files);
  const { patch, skipped } = await checkout.stage();
  const paths = [
    ...Buffer.from(patch ?? [])
      .toString('latin1')
      .matchAll(/^diff --git a\/(\S+) /gm),
  ];
  return { paths: paths.map(([, path]) => path), skipped };
}

it('skips a file that is a byte larger than 5 MiB, and names it', async () => {
  const fits = Buffer.alloc(fileBytesMax);
  expect(await stage({ fits, 'too-large': Buffer.alloc(fileBytesMax + 1) })).toEqual({
    paths: ['fits'],
    skipped: ['too-large'],
  });
});

it('commits nothing if no change fits', async () => {
  const large = Buffer.alloc(fileBytesMax + 1);
  expect(await stage({ large })).toEqual({ paths: [], skipped: ['large'] });
});

it('commits no file of the service, and only those of its own folder are left out', async () => {
  const { paths, skipped } = await stage({ '.service/evidence': 'a', '.services': 'b', 'src/.service/c': 'c' });
  expect({ paths, skipped }).toEqual({ paths: ['.services', 'src/.service/c'], skipped: [] });
});

it('commits no file in place of the folder of the service', async () => {
  expect(await stage({ '.service': 'a', 'b.txt': 'b' })).toEqual({ paths: ['b.txt'], skipped: [] });
});

it('commits no file of the service even if the repo does not ignore it', async () => {
  expect(await stage({ '.gitignore': '!/.service/\n', '.service/evidence': 'a' })).toMatchObject({
    paths: ['.gitignore'],
  });
});

it('commits the files of a nested repo without its git folder', async () => {
  const files = { 'nested/.git/config': '[core]\n\tfsmonitor = evil\n', 'nested/.GIT/HEAD': 'x', 'nested/a.txt': 'a' };
  expect(await stage(files)).toEqual({ paths: ['nested/a.txt'], skipped: [] });
});

it('commits a symbolic link as a link, even if it leads to a folder or to nothing', async () => {
  const { checkout } = await openEmptyCheckout();
  await symlink('/', join(checkout.workingTree, 'folder'));
  await symlink('/nowhere', join(checkout.workingTree, 'nothing'));
  const { patch, skipped } = await checkout.stage();
  expect(skipped).toEqual([]);
  expect(
    Buffer.from(patch ?? [])
      .toString()
      .match(/^new file mode 120000$/gm),
  ).toHaveLength(2);
});

it('commits the files of a folder whose name is not valid UTF-8, without a git folder in it', async () => {
  const { checkout, start } = await openEmptyCheckout();
  // A decoded name is that of the other folder.
  await writeFiles(checkout, { 'caf\ufffd/b.txt': 'b' });
  const inside = (path: string): Buffer =>
    Buffer.concat([Buffer.from(`${checkout.workingTree}/caf`), Buffer.from([0xe9]), Buffer.from(path)]);
  await mkdir(inside('/.git/objects'), { recursive: true });
  await mkdir(inside('/.git/refs'));
  await writeFile(inside('/.git/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(inside('/a.txt'), 'a');
  const { patch } = await checkout.stage();
  const added = Buffer.from(patch ?? []).toString('latin1');
  expect(added).toContain('+++ b/caf\u00e9/a.txt');
  expect(added).toContain(`+++ b/caf${Buffer.from('\ufffd').toString('latin1')}/b.txt`);
  const commit = await checkout.commit({ message: 'Add', parents: [start], commitDate: '2026-01-02T03:04:05Z' });
  await checkout.reset(commit);
  await checkout.reset(start);
  expect(await checkout.listFiles(undefined)).toEqual([]);
});
