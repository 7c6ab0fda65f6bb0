import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkoutFolderFor,
  detectConflict,
  isPublished,
  prepareWorkingTree,
  pushTurn,
  type TurnPush,
} from '../../../activities/agents/working-tree.ts';
import { commitKey } from '../../../src/rules/changes/commit-key.ts';
import { at, branch, createWorkspace } from './workspace-fixture.ts';

const turn: TurnPush = {
  step: 'implement',
  turn: 1,
  message: 'Greet by name',
  at,
  openConflict: undefined,
  resolvedConflict: undefined,
};

describe('prepareWorkingTree', () => {
  it('checks out the base, and the branch of the run once it exists', async () => {
    const { openWorkspace, base, commit } = await createWorkspace();
    const workspace = openWorkspace();
    const tree = await prepareWorkingTree(workspace);
    expect(tree).toMatchObject({ baseBranch: 'main', baseSha: base, checkedOutSha: base });
    expect(tree).toMatchObject({ branchSha: undefined, resolutionSha: undefined });
    writeFileSync(join(tree.checkout.workingTree, 'left.txt'), 'of an earlier turn');
    const branchSha = commit(branch, { 'b.txt': 'two\n' }, { from: 'main' });
    commit('main', { 'c.txt': 'three\n' });
    const { checkout, ...next } = await prepareWorkingTree(workspace);
    expect(next).toMatchObject({ branchSha, checkedOutSha: branchSha });
    expect(readFileSync(join(checkout.workingTree, 'b.txt'), 'utf8')).toBe('two\n');
    expect(['left.txt', 'c.txt'].filter((file) => existsSync(join(checkout.workingTree, file)))).toEqual([]);
  });

  it('uses the base branch of the pull request', async () => {
    const { openWorkspace, commit } = await createWorkspace();
    const baseSha = commit('release', { 'r.txt': 'r' }, { from: 'main' });
    const tree = await prepareWorkingTree(openWorkspace('workspace', { baseBranch: 'release' }));
    expect(tree).toMatchObject({ baseBranch: 'release', baseSha });
  });

  it('creates a broken checkout again, unless the turn is cancelled', async () => {
    const { openWorkspace } = await createWorkspace();
    const workspace = openWorkspace();
    const head = join(workspace.folder, 'git/HEAD');
    await prepareWorkingTree(workspace);
    writeFileSync(head, 'rubbish');
    const aborted = AbortSignal.abort(new Error('cancelled'));
    await expect(prepareWorkingTree({ ...workspace, signal: aborted })).rejects.toThrow(/abort|cancel/);
    expect(readFileSync(head, 'utf8')).toBe('rubbish');
    await prepareWorkingTree(workspace);
    expect(readFileSync(head, 'utf8')).not.toBe('rubbish');
  });

  it('says which branch is missing, and keeps the checkout', async () => {
    const { openWorkspace, git } = await createWorkspace();
    const targetPullRequest = { number: 8, isFork: false };
    await expect(prepareWorkingTree(openWorkspace('workspace', { targetPullRequest }))).rejects.toMatchObject({
      reason: 'branch-missing',
      message: 'The branch of pull request #8 does not exist. Push it again.',
    });
    expect(existsSync(join(openWorkspace().folder, 'git'))).toBe(true);
    git('update-ref', '-d', 'refs/heads/main');
    await expect(prepareWorkingTree(openWorkspace())).rejects.toMatchObject({
      reason: 'branch-missing',
      message: 'The repo acme/hello has no commit on "main". Push a first commit to it.',
    });
  });
});

/** Creates a run whose branch and base both changed `a.txt`, while the base deleted `gone.txt`. */
async function createConflict() {
  const world = await createWorkspace({ 'a.txt': 'one\n', 'gone.txt': 'one\n' });
  const branchSha = world.commit(branch, { 'a.txt': 'ours\n', 'gone.txt': 'ours\n' }, { from: 'main' });
  const baseSha = world.commit('main', { 'a.txt': 'theirs\n', 'gone.txt': null });
  const workspace = world.openWorkspace();
  const { conflict, ...detected } = await detectConflict(workspace, at);
  return { ...world, branchSha, baseSha, workspace, conflict, detected };
}

describe('a conflict with the base', () => {
  it('has the commits, the files, and those that have no markers', async () => {
    const { conflict, detected, branchSha, baseSha } = await createConflict();
    expect(conflict).toEqual({ branchSha, baseSha, files: ['a.txt', 'gone.txt'], at });
    expect(detected).toEqual({ baseBranch: 'main', filesWithoutMarkers: ['gone.txt'] });
  });

  it('starts from the same commit on every worker, and continues with what was pushed of it', async () => {
    const { conflict, workspace, openWorkspace, branchSha, findRef, commit } = await createConflict();
    const tree = await prepareWorkingTree(workspace, conflict);
    const marked = readFileSync(join(tree.checkout.workingTree, 'a.txt'), 'utf8');
    expect(marked).toMatch(/^<{7} .*\nours\n={7}\ntheirs\n>{7} .*main\n$/);
    const other = openWorkspace('other');
    expect((await prepareWorkingTree(other, conflict)).checkedOutSha).toBe(tree.checkedOutSha);

    writeFileSync(join(tree.checkout.workingTree, 'a.txt'), 'both\n');
    await tree.checkout.stage();
    expect(await pushTurn(workspace.context, tree, { ...turn, openConflict: conflict })).toBe(branchSha);
    expect(findRef(`refs/heads/${branch}`)).toBe(branchSha);
    const continued = await prepareWorkingTree(other, conflict);
    expect(continued.checkedOutSha).toBe(findRef('refs/service/resolving/change-hello-7'));
    expect(readFileSync(join(continued.checkout.workingTree, 'a.txt'), 'utf8')).toBe('both\n');
    expect(await isPublished(workspace.context, continued, turn)).toBe(true);

    commit('main', { 'a.txt': 'newer\n' });
    const next = await detectConflict(workspace, '2026-01-02T00:00:00.000Z');
    const restarted = await prepareWorkingTree(workspace, next.conflict);
    expect(readFileSync(join(restarted.checkout.workingTree, 'a.txt'), 'utf8')).toMatch(/newer\n>{7} .*main/);
  });

  it('ends with one merge commit, which removes the resolution', async () => {
    const { conflict, workspace, branchSha, baseSha, git, findRef } = await createConflict();
    const first = await prepareWorkingTree(workspace, conflict);
    await pushTurn(workspace.context, first, { ...turn, openConflict: conflict });
    const tree = await prepareWorkingTree(workspace, conflict);
    writeFileSync(join(tree.checkout.workingTree, 'a.txt'), 'both\n');
    await tree.checkout.stage();
    const merged = await pushTurn(workspace.context, tree, { ...turn, turn: 2, resolvedConflict: conflict });
    expect(findRef(`refs/heads/${branch}`)).toBe(merged);
    expect(git('log', '-1', '--format=%P', branch)).toBe(`${branchSha} ${baseSha}`);
    expect(findRef('refs/service')).toBeUndefined();
  });

  it('is not resolved on a branch that has moved', async () => {
    const { conflict, workspace, commit, findRef } = await createConflict();
    const moved = commit(branch, { 'b.txt': 'a person' });
    const tree = await prepareWorkingTree(workspace, conflict);
    const pushed = pushTurn(workspace.context, tree, { ...turn, resolvedConflict: conflict });
    await expect(pushed).rejects.toMatchObject({ reason: 'branch-moved' });
    expect(findRef(`refs/heads/${branch}`)).toBe(moved);
  });

  it.each([['2'.repeat(40)], [null]])('keeps the submodule of the branch (%s), which has no markers', async (own) => {
    const world = await createWorkspace();
    world.commitSubmodule('main', '0'.repeat(39) + '1');
    world.git('update-ref', `refs/heads/${branch}`, 'main');
    const branchSha = world.commitSubmodule(branch, own);
    const baseSha = world.commitSubmodule('main', '3'.repeat(40));
    const workspace = world.openWorkspace();
    const { conflict, filesWithoutMarkers } = await detectConflict(workspace, at);
    expect({ files: conflict.files, filesWithoutMarkers }).toEqual({ files: ['lib'], filesWithoutMarkers: ['lib'] });
    const tree = await prepareWorkingTree(workspace, conflict);
    expect(await tree.checkout.stage()).toEqual({ patch: undefined, skipped: [] });
    await pushTurn(workspace.context, tree, { ...turn, resolvedConflict: conflict });
    expect(world.git('log', '-1', '--format=%P', branch)).toBe(`${branchSha} ${baseSha}`);
    expect(world.git('ls-tree', branch, 'lib')).toBe(own === null ? '' : `160000 commit ${own}\tlib`);
  });

  it('is gone with the branch', async () => {
    const { openWorkspace } = await createWorkspace();
    await expect(detectConflict(openWorkspace(), at)).rejects.toMatchObject({ reason: 'branch-missing' });
  });
});

describe('pushTurn', () => {
  it('commits the turn once, with trailers that name it', async () => {
    const { openWorkspace, base, git, remotes } = await createWorkspace();
    const workspace = openWorkspace();
    const tree = await prepareWorkingTree(workspace);
    expect(await isPublished(workspace.context, tree, turn)).toBe(false);
    writeFileSync(join(tree.checkout.workingTree, 'b.txt'), 'two\n');
    await tree.checkout.stage();
    const message = ` Greet\nby   name ${'x'.repeat(100)}`;
    const head = await pushTurn(workspace.context, tree, { ...turn, message });
    expect(git('rev-parse', branch, `${branch}^`).split('\n')).toEqual([head, base]);
    expect(git('log', '-1', '--format=%B', branch)).toBe(
      `Greet by name ${'x'.repeat(58)}\n\nService-Run: change-hello-7\nService-Turn: implement/1`,
    );
    expect(remotes).not.toContain('ci');
    const next = await prepareWorkingTree(workspace);
    expect(await isPublished(workspace.context, next, turn)).toBe(true);
    expect(await isPublished(workspace.context, next, { ...turn, turn: 2 })).toBe(false);
    await pushTurn(workspace.context, next, { ...turn, turn: 2, message: ' ' });
    expect(git('log', '-1', '--format=%s', branch)).toBe('implement, turn 2');
  });

  it('records which commits are its own, which no author or trailer of a commit can claim', async () => {
    const { openWorkspace, blobs } = await createWorkspace();
    const workspace = openWorkspace();
    const head = await pushTurn(workspace.context, await prepareWorkingTree(workspace), turn);
    expect(await blobs.list('commits/')).toEqual([commitKey('acme', head ?? '')]);
  });

  it('tells the runs on one pull request apart', async () => {
    const { openWorkspace, commit, git, run } = await createWorkspace();
    commit('moon', { 'm.txt': 'm' }, { from: 'main' });
    const targetPullRequest = { number: 8, isFork: false };
    const gitRef = 'refs/heads/moon';
    const target = { branch: 'moon', gitRef, pushRef: gitRef, isOwnBranch: false, targetPullRequest };
    const workspace = openWorkspace('workspace', target);
    await pushTurn(workspace.context, await prepareWorkingTree(workspace), turn);
    expect(git('log', '-1', '--format=%(trailers:key=Service-Turn,valueonly)', 'moon')).toBe(
      'change-hello-7/implement/1',
    );
    const tree = await prepareWorkingTree(workspace);
    const other = { ...run, metadata: { ...run.metadata, name: 'other' } };
    expect(await isPublished(workspace.context, tree, turn)).toBe(true);
    expect(await isPublished({ ...workspace.context, run: other }, tree, turn)).toBe(false);
  });

  it('does not overwrite the commits of others', async () => {
    const { openWorkspace, commit, findRef } = await createWorkspace();
    const workspace = openWorkspace();
    const tree = await prepareWorkingTree(workspace);
    const theirs = commit(branch, { 'b.txt': 'a person' }, { from: 'main' });
    await expect(pushTurn(workspace.context, tree, turn)).rejects.toThrow(`The ref refs/heads/${branch} moved`);
    expect(findRef(`refs/heads/${branch}`)).toBe(theirs);
  });

  it('starts a branch of its own next to the one that it reads', async () => {
    const { openWorkspace, commit, git, findRef } = await createWorkspace();
    const head = commit('moon', { 'm.txt': 'm' }, { from: 'main' });
    const targetPullRequest = { number: 8, isFork: false };
    const workspace = openWorkspace('workspace', { gitRef: 'refs/heads/moon', targetPullRequest });
    await pushTurn(workspace.context, await prepareWorkingTree(workspace), turn);
    expect(git('rev-parse', `${branch}^`)).toBe(head);
    expect(findRef('refs/heads/moon')).toBe(head);
  });

  it('pushes nothing to a branch that is guarded by now', async () => {
    const { openWorkspace, commit, facts, findRef } = await createWorkspace();
    const head = commit('moon', { 'm.txt': 'm' }, { from: 'main' });
    const gitRef = 'refs/heads/moon';
    const workspace = openWorkspace('workspace', { branch: 'moon', gitRef, pushRef: gitRef, isOwnBranch: false });
    const tree = await prepareWorkingTree(workspace);
    facts.isProtected = true;
    await expect(pushTurn(workspace.context, tree, turn)).rejects.toMatchObject({ reason: 'branch-guarded' });
    expect(findRef(gitRef)).toBe(head);
  });

  it('uses the wider permission only for a commit that changes CI files', async () => {
    const { openWorkspace, remotes } = await createWorkspace();
    const workspace = openWorkspace();
    const tree = await prepareWorkingTree(workspace);
    const workflows = join(tree.checkout.workingTree, '.github/workflows');
    mkdirSync(workflows, { recursive: true });
    writeFileSync(join(workflows, 'ci.yml'), 'on: push\n');
    await tree.checkout.stage();
    await pushTurn(workspace.context, tree, turn);
    expect(remotes.at(-1)).toBe('ci');
  });
});

it('gives each purpose of a run a folder of its own', async () => {
  const { openWorkspace } = await createWorkspace();
  expect(checkoutFolderFor('/checkouts', openWorkspace().context, 'implement')).toBe(
    '/checkouts/acme/change-hello-7/implement',
  );
});
