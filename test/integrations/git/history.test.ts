import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { commitFiles, openEmptyCheckout, writeFiles } from './empty-checkout.ts';

const conflict = '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n';

it('tells a merge as git makes it from one with other changes or with a conflict', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const base = await commitFiles(checkout, { parents: [start], files: { 'a.txt': '1\n2\n3\n4\n5\n' } });
  const ours = await commitFiles(checkout, { parents: [base], files: { 'a.txt': 'one\n2\n3\n4\n5\n' } });
  const theirs = await commitFiles(checkout, { parents: [base], files: { 'a.txt': '1\n2\n3\n4\nfive\n' } });
  const other = await commitFiles(checkout, { parents: [base], files: { 'a.txt': 'uno\n2\n3\n4\n5\n' } });
  const merge = async (parents: [string, string], text: string) =>
    await checkout.isCleanMerge(await commitFiles(checkout, { parents, files: { 'a.txt': text } }));
  expect(await merge([ours, theirs], 'one\n2\n3\n4\nfive\n')).toBe(true);
  expect(await merge([ours, theirs], 'one\n2\n3\n4\nfive\nevil\n')).toBe(false);
  expect(await merge([ours, other], 'one\n2\n3\n4\n5\n')).toBe(false);
});

it('lists conflict markers in the index that no given commit contains', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const documented = await commitFiles(checkout, { parents: [start], files: { 'help.md': conflict } });
  await checkout.reset(documented);
  await writeFiles(checkout, { 'src/a.ts': `ok\n${conflict}`, 'b.ts': 'ok\n', 'space.ts': 'ok \n' });
  await checkout.stage();
  const own = ['src/a.ts:2', 'src/a.ts:4', 'src/a.ts:6'];
  expect(await checkout.listConflictMarkers([documented])).toEqual(own);
  expect(await checkout.listConflictMarkers([start])).toEqual(['help.md:1', 'help.md:3', 'help.md:5', ...own]);
  expect(await checkout.listConflictMarkers([start, documented])).toEqual(own);
  expect(await checkout.listConflictMarkers([])).toEqual([]);
});

it('lists the commits of the first parents with their trailers, newest first', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const commit = async (name: string, parents: [string, ...string[]], message?: string) =>
    await commitFiles(checkout, { parents, files: { [name]: name }, ...(message !== undefined && { message }) });
  const one = await commit('one', [start], 'One\n\nService-Turn: implement/1\n');
  const side = await commit('side', [start], 'Side\n\nService-Turn: implement/7\n');
  const two = await commit('two', [one, side]);
  const three = await commit('three', [two], 'Three\n\nService-Turn: implement/2\nOther: x\n');
  const list = async (base?: string) => await checkout.listCommits('Service-Turn', base, three);
  const newer = [
    { sha: three, trailer: 'implement/2' },
    { sha: two, trailer: '' },
  ];
  expect(await list(one)).toEqual(newer);
  expect(await list()).toEqual([...newer, { sha: one, trailer: 'implement/1' }, { sha: start, trailer: '' }]);
  expect(await checkout.listTrailers('Service-Turn', start, three)).toEqual(
    expect.arrayContaining(['implement/1', 'implement/2', 'implement/7']),
  );
  expect(await checkout.listTrailers('Service-Turn', one, two)).toEqual(['implement/7']);
  expect(await checkout.listParents(two)).toEqual([one, side]);
  expect(await checkout.listParents(start)).toEqual([]);
});

it('lists and searches files that are tracked or new, but not ignored, in a folder or everywhere', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const files = { '.gitignore': 'dist\n', 'src/a.ts': 'one\nneedle 1\n', 'b.ts': 'needle 2\n' };
  await checkout.reset(await commitFiles(checkout, { parents: [start], files }));
  await writeFiles(checkout, { 'src/new.ts': 'needle 3\n', 'dist/x.js': 'needle 4\n', 'src/data': 'needle\0 5\n' });
  expect(await checkout.listFiles(undefined)).toEqual(['.gitignore', 'b.ts', 'src/a.ts', 'src/data', 'src/new.ts']);
  expect(await checkout.listFiles('src')).toEqual(['src/a.ts', 'src/data', 'src/new.ts']);
  expect(await checkout.searchFiles('needle [0-9]', undefined)).toBe(
    'b.ts:1:needle 2\nsrc/a.ts:2:needle 1\nsrc/new.ts:1:needle 3\n',
  );
  expect(await checkout.searchFiles('NEEDLE', undefined)).toBe('');
  expect(await checkout.searchFiles('needle', 'b.ts')).toBe('b.ts:1:needle 2\n');
  await expect(checkout.searchFiles('(', undefined)).rejects.toThrow('git grep failed');
});

it('compares a commit with where it left the base', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const branched = await commitFiles(checkout, { parents: [start], files: { 'a.txt': 'mine\n' } });
  const base = await commitFiles(checkout, { parents: [start], files: { 'b.txt': 'later\n' } });
  const { summary, patch } = await checkout.diff(base, branched);
  expect(summary).toContain(' 1 file changed, 1 insertion(+)');
  expect(patch).toContain('+mine');
  expect(patch).not.toContain('later');
});

it('removes new files at a reset, except ignored ones and those of the service', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const tip = await commitFiles(checkout, {
    parents: [start],
    files: { '.gitignore': 'node_modules\n', 'a.txt': 'a' },
  });
  const files = { 'a.txt': 'changed', 'new/b.txt': 'b', 'node_modules/c.js': 'c', '.service/d': 'd' };
  await writeFiles(checkout, { ...files, 'new/nested/.git/HEAD': 'x' });
  await checkout.reset(tip);
  expect(await checkout.listFiles(undefined)).toEqual(['.gitignore', 'a.txt']);
  expect(await checkout.searchFiles('changed', undefined)).toBe('');
  expect((await readdir(checkout.workingTree)).sort()).toEqual(['.gitignore', '.service', 'a.txt', 'node_modules']);
});
