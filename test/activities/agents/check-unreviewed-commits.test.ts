import { expect, it } from 'vitest';
import { checkUnreviewedCommits, hasUnreviewedCommits } from '../../../activities/agents/check-unreviewed-commits.ts';
import type { Checkout } from '../../../src/integrations/git/checkout.ts';
import { branch, createWorkspace } from './workspace-fixture.ts';

it('accepts clean merges of the base, and no other commit', async () => {
  const { openWorkspace, commit, git } = await createWorkspace();
  const reviewedSha = commit(branch, { 'b.txt': 'reviewed' }, { from: 'main' });
  const check = async (reviewed = reviewedSha) =>
    await checkUnreviewedCommits({ ...openWorkspace(), reviewedSha: reviewed });
  expect(await check()).toEqual({ headSha: reviewedSha, hasUnreviewedCommits: false });
  for (const text of ['one', 'two']) {
    const base = commit('main', { 'c.txt': text });
    const merged = commit(branch, { 'c.txt': text }, { merge: base });
    expect(await check()).toEqual({ headSha: merged, hasUnreviewedCommits: false });
  }
  // A merge that also changes something, and then is part of what was reviewed.
  const forged = commit(branch, { 'c.txt': 'three', 'b.txt': 'evil' }, { merge: commit('main', { 'c.txt': 'three' }) });
  expect(await check()).toEqual({ headSha: forged, hasUnreviewedCommits: true });
  expect(await check(forged)).toEqual({ headSha: forged, hasUnreviewedCommits: false });
  const commits: [string, () => string][] = [
    ['a commit', () => commit(branch, { 'b.txt': 'more' })],
    ['a merge of another branch', () => commit(branch, { 'd.txt': 'd' }, { merge: commit('moon', { 'd.txt': 'd' }) })],
    ['a branch that was reset', () => git('rev-parse', 'main')],
  ];
  for (const [name, push] of commits) {
    git('update-ref', `refs/heads/${branch}`, forged);
    git('update-ref', `refs/heads/${branch}`, push());
    expect(await check(forged), name).toMatchObject({ hasUnreviewedCommits: true });
  }
});

it('fails when the branch is gone', async () => {
  const { openWorkspace, base } = await createWorkspace();
  await expect(checkUnreviewedCommits({ ...openWorkspace(), reviewedSha: base })).rejects.toMatchObject({
    reason: 'branch-missing',
  });
});

/** A history of merges `m<n>` of the base into `m<n-1>`; the reviewed commit is `m0`. */
const merges = (more: Partial<Checkout> = {}) =>
  ({
    listParents: async (commit: string) => [`m${Number(commit.slice(1)) - 1}`, 'base'],
    isAncestor: async () => true,
    isCleanMerge: async () => true,
    ...more,
  }) as Checkout;
const inspect = async (checkout: Checkout, headSha: string) =>
  await hasUnreviewedCommits(checkout, { reviewedSha: 'm0', headSha, baseSha: 'base' });

it('inspects at most 50 merges', async () => {
  expect(await inspect(merges(), 'm50')).toBe(false);
  expect(await inspect(merges(), 'm51')).toBe(true);
});

it.each<[string, Partial<Checkout>]>([
  ['with three parents', { listParents: async () => ['m0', 'base', 'other'] }],
  ['of something that is not in the base', { isAncestor: async () => false }],
  ['that git would not have made', { isCleanMerge: async () => false }],
])('does not accept a merge %s', async (_, more) => {
  expect(await inspect(merges(more), 'm1')).toBe(true);
});
