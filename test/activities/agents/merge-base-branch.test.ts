import { expect, it } from 'vitest';
import { mergeBaseBranch } from '../../../activities/agents/merge-base-branch.ts';
import type { RunContext } from '../../../activities/changes/run-context.ts';
import { at, branch, createWorkspace } from './workspace-fixture.ts';

/** Creates a run whose branch changed `b.txt`. */
async function createRun(more: Partial<RunContext> = {}) {
  const world = await createWorkspace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const head = world.commit(branch, { 'b.txt': 'ours\n' }, { from: 'main' });
  const merge = async (reviewedSha?: string) =>
    await mergeBaseBranch({ ...world.openWorkspace('workspace', more), at, reviewedSha });
  const readHead = () => world.findRef(`refs/heads/${branch}`);
  return { ...world, head, merge, readHead };
}

it('merges a base that changed other files once, and reports a branch that is up to date', async () => {
  const { merge, head, commit, readHead, git } = await createRun();
  expect(await merge()).toEqual({ outcome: 'up-to-date', headSha: head });
  const base = commit('main', { 'a.txt': 'two\n' });
  const merged = await merge();
  expect(merged).toEqual({ outcome: 'merged', headSha: readHead() });
  expect(git('log', '-1', '--format=%P%n%B', branch)).toBe(
    `${head} ${base}\nMerge main\n\nService-Run: change-hello-7`,
  );
  // Another attempt, whose predecessor died after its push.
  expect(await merge()).toEqual(merged);
  expect(readHead()).toBe(merged.headSha);
  // A merge of something else, and then a commit of a person: nothing was merged for this attempt.
  const person = commit(branch, { 'c.txt': 'mine' });
  expect(await merge()).toEqual({ outcome: 'up-to-date', headSha: person });
});

it('merges a base whose files its attributes would convert', async () => {
  const world = await createWorkspace({ 'a.txt': 'one\r\ntwo\r\n' });
  world.commit('main', { '.gitattributes': '* text\n' });
  world.commit(branch, { 'b.txt': 'ours\n' }, { from: 'main' });
  world.commit('main', { 'a.txt': 'one\r\n2\r\n' });
  const merge = mergeBaseBranch({ ...world.openWorkspace(), at, reviewedSha: undefined });
  expect(await merge).toMatchObject({ outcome: 'merged' });
  expect(world.git('diff', '--name-only', 'main', branch)).toBe('b.txt');
});

it('lists the conflicting files, at most a hundred, and leaves the branch alone', async () => {
  const { merge, commit, readHead } = await createRun();
  const names = Array.from({ length: 101 }, (_, index) => `f${String(index).padStart(3, '0')}`);
  const write = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const headSha = commit(branch, write('ours'));
  commit('main', write('theirs'));
  expect(await merge()).toEqual({ outcome: 'conflicts', headSha, files: names.slice(0, 100) });
  expect(readHead()).toBe(headSha);
});

it('lists a submodule that both sides changed, and leaves the branch alone', async () => {
  const world = await createRun();
  world.commitSubmodule('main', '1'.repeat(40));
  const headSha = world.commitSubmodule(branch, '2'.repeat(40));
  expect(await world.merge()).toEqual({ outcome: 'conflicts', headSha, files: ['lib'] });
  expect(world.readHead()).toBe(headSha);
});

it('says whether a reviewer has seen the branch, with each outcome', async () => {
  const { merge, head, commit } = await createRun();
  expect(await merge(head)).toMatchObject({ outcome: 'up-to-date', hasUnreviewedCommits: false });
  commit('main', { 'a.txt': 'two\n' });
  expect(await merge(head)).toMatchObject({ outcome: 'merged', hasUnreviewedCommits: false });
  commit(branch, { 'b.txt': 'unseen\n' });
  expect(await merge(head)).toMatchObject({ outcome: 'up-to-date', hasUnreviewedCommits: true });
  commit('main', { 'b.txt': 'theirs\n' });
  expect(await merge(head)).toMatchObject({ outcome: 'conflicts', hasUnreviewedCommits: true });
});

it.each([
  ['a fork', { targetPullRequest: { number: 8, isFork: true } }],
  ['a branch that agents cannot push to', { pushRef: 'refs/heads/service/own' }],
])('leaves the merge to people in %s', async (_, more) => {
  const { merge, head, commit, readHead } = await createRun(more);
  commit('main', { 'a.txt': 'two\n' });
  expect(await merge()).toEqual({ outcome: 'conflicts', headSha: head });
  expect(readHead()).toBe(head);
});

it('pushes nothing to a branch that is guarded by now', async () => {
  const { merge, commit, facts, head, readHead } = await createRun({ isOwnBranch: false });
  commit('main', { 'a.txt': 'two\n' });
  facts.isDefault = true;
  await expect(merge()).rejects.toMatchObject({ reason: 'branch-guarded' });
  expect(readHead()).toBe(head);
});

it('fails, so that it is tried again, when the branch moves, but not when it is gone', async () => {
  const world = await createRun({ isOwnBranch: false });
  world.commit('main', { 'a.txt': 'two\n' });
  let moved = '';
  // The branch is read directly before the push.
  const host = {
    ...world.host,
    getBranchFacts: async () => ((moved = world.commit(branch, { 'c.txt': 'mine' })), world.facts),
  };
  const workspace = world.openWorkspace('workspace', { isOwnBranch: false, host });
  await expect(mergeBaseBranch({ ...workspace, at, reviewedSha: undefined })).rejects.toThrow('moved');
  expect(world.readHead()).toBe(moved);
  world.git('update-ref', '-d', `refs/heads/${branch}`);
  await expect(world.merge()).rejects.toMatchObject({ reason: 'branch-missing' });
});

it('says that the history of the base was rewritten', async () => {
  const { merge, git, commit, readHead, head } = await createRun();
  git('update-ref', '-d', 'refs/heads/main');
  commit('main', { 'a.txt': 'one\n' });
  await expect(merge()).rejects.toMatchObject({
    reason: 'conflict',
    message: expect.stringContaining(`"${branch}" has no commit in common with main`),
  });
  expect(readHead()).toBe(head);
});

it('says why the code host rejects the merge for good', async () => {
  const { merge, commit, rejectPushes, readHead, head } = await createRun();
  commit('main', { 'a.txt': 'two\n' });
  rejectPushes('This branch must not contain merge commits.');
  await expect(merge()).rejects.toMatchObject({
    reason: 'codehost-conflict',
    message: expect.stringContaining(`merge commits.\nMerge main into "${branch}" on the code host`),
  });
  expect(readHead()).toBe(head);
});
