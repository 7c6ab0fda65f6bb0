import { expect, it } from 'vitest';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { connectShop } from './shop-codehost.ts';

const repo = 'acme/shop';

/** Adds empty commits to the head of `main` without a clone. */
async function addCommits(
  { requestAsUser }: Awaited<ReturnType<typeof connectShop>>,
  count: number,
): Promise<string[]> {
  const { object } = await requestAsUser<{ object: { sha: string } }>('GET', `/repos/${repo}/git/ref/heads/main`);
  const { tree } = await requestAsUser<{ tree: { sha: string } }>('GET', `/repos/${repo}/git/commits/${object.sha}`);
  const shas = [object.sha];
  for (let number = 1; number <= count; number += 1) {
    const body = { message: `commit ${number}\n\nbody`, tree: tree.sha, parents: [shas.at(-1)] };
    shas.push((await requestAsUser<{ sha: string }>('POST', `/repos/${repo}/git/commits`, body)).sha);
  }
  await requestAsUser('PATCH', `/repos/${repo}/git/refs/heads/main`, { sha: shas.at(-1) });
  return shas;
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
  });
  const newest = await host.listNewestCommits(repo, last);
  expect(newest.map(({ sha }) => sha)).toEqual(shas.slice(-100).toReversed());
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
