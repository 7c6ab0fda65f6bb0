import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { createFolder, pushBranch, withToken } from '../../emulators/codehost/codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';
import { connectShop } from './shop-codehost.ts';

const repo = 'acme/shop';

/** Pushes empty commits to `main`, all at once, and returns the history, oldest first. */
async function addCommits({ shop }: Awaited<ReturnType<typeof connectShop>>, count: number): Promise<string[]> {
  const folder = await createFolder();
  await runGit(
    folder,
    'clone',
    '--quiet',
    `${withToken(shop.codehost.url, shop.codehost.userToken)}/acme/shop.git`,
    '.',
  );
  const commits = Array.from({ length: count }, (_, at) => {
    const message = `commit ${at + 1}\n\nbody`;
    // Git assumes that a commit is not older than its parents.
    const from = at === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter Ada <ada@example.test> ${1_900_000_000 + at} +0000\ndata ${message.length}\n${message}\n${from}`;
  });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: commits.join('\n') });
  await runGit(folder, 'push', '--quiet', 'origin', 'main');
  return (await runGit(folder, 'rev-list', '--reverse', 'main')).split('\n').slice(-count - 1);
}

it('returns the newest commits of a long comparison, newest first', async () => {
  const shop = await connectShop();
  const { host } = shop;
  const shas = await addCommits(shop, 203);
  const [first = '', second = '', last = ''] = [shas[0], shas[1], shas.at(-1)];
  const long = await host.compareCommits(repo, first, last);
  expect(long).toMatchObject({ relation: 'ahead', aheadBy: 203, behindBy: 0 });
  // Pages begin with the oldest commit, and only the last two are read.
  expect(long?.commits.map(({ sha }) => sha)).toEqual(shas.slice(101).toReversed());
  expect((await host.compareCommits(repo, first, second))?.commits).toMatchObject([
    { sha: second, message: 'commit 1\n\nbody', url: expect.stringContaining(second) },
  ]);
  expect(await host.compareCommits(repo, last, second)).toMatchObject({
    relation: 'behind',
    aheadBy: 0,
    behindBy: 202,
    commits: [],
    files: { count: 0, additions: 0, deletions: 0, isTruncated: false },
  });
  const newest = await host.listNewestCommits(repo, last);
  expect(newest.map(({ sha }) => sha)).toEqual(shas.slice(-100).toReversed());
});

it('lists all commits of a long range, oldest first, and the newest of a range that is too long', async () => {
  const shop = await connectShop();
  const { host } = shop;
  const shas = await addCommits(shop, 1_150);
  const [first = '', last = ''] = [shas[0], shas.at(-1)];
  const listed = await host.listCommitsBetween(repo, first, shas[320] ?? '');
  expect(listed.map(({ sha }) => sha)).toEqual(shas.slice(1, 321));
  expect(listed.at(-1)?.message).toBe('commit 320\n\nbody');
  const newest = await host.listCommitsBetween(repo, first, last);
  expect(newest.map(({ sha }) => sha)).toEqual(shas.slice(-1_000));
  expect(await host.listCommitsBetween(repo, last, first)).toEqual([]);
});

it('returns nothing for a commit that the repo does not have', async () => {
  const { shop, host } = await connectShop();
  const head = await pushBranch(shop.codehost, {
    token: shop.codehost.userToken,
    branch: 'main',
    files: { 'a.txt': 'a' },
  });
  expect(await host.compareCommits(repo, 'a'.repeat(40), head)).toBeUndefined();
  await expect(host.listNewestCommits(repo, 'a'.repeat(40))).rejects.toMatchObject({ reason: 'not-found' });
});
