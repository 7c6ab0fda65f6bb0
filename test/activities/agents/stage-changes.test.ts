import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stageChanges, unfinishedViolation } from '../../../activities/agents/stage-changes.ts';
import { detectConflict, prepareWorkingTree, type WorkingTree } from '../../../activities/agents/working-tree.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { at, branch, createWorkspace } from './workspace-fixture.ts';

const failWith = (error: unknown) => ({ checkout: { stage: async () => await Promise.reject(error) } }) as WorkingTree;

describe('stageChanges', () => {
  it('saves the patch of a turn, and nothing when it changed nothing', async () => {
    const { openTurn, blobs } = await createWorkspace();
    const turn = openTurn();
    const readPatch = async () => {
      const bytes = await blobs.find(turnKey(turn.ref, 'patch'));
      return bytes && Buffer.from(bytes).toString();
    };
    const tree = await turn.prepareTree();
    expect(await stageChanges(turn, tree)).toEqual({ patch: undefined, skipped: [] });
    expect(await readPatch()).toBeUndefined();
    writeFileSync(join(tree.checkout.workingTree, 'a.txt'), 'two\n');
    await stageChanges(turn, tree);
    expect(await readPatch()).toContain('-one\n+two\n');
  });

  it('tells the agent why its files cannot be committed, and starts the next turn afresh', async () => {
    const { openTurn } = await createWorkspace();
    const turn = openTurn();
    await turn.prepareTree();
    const staged = await stageChanges(turn, failWith(new Error('x'.repeat(600))));
    expect(staged).toEqual({ patch: undefined, skipped: [], problem: 'x'.repeat(500) });
    expect(existsSync(turn.workspace.folder)).toBe(false);
    expect((await stageChanges(turn, failWith('The name is too long.'))).problem).toBe('The name is too long.');
  });

  it('has no result when it is cancelled', async () => {
    const { openTurn } = await createWorkspace();
    const turn = openTurn({}, { signal: AbortSignal.abort(new Error('cancelled')) });
    await turn.prepareTree();
    await expect(stageChanges(turn, failWith(new Error('killed')))).rejects.toThrow('cancelled');
    expect(existsSync(turn.workspace.folder)).toBe(true);
  });
});

describe('unfinishedViolation', () => {
  it('asks for a change as long as the branch has none', async () => {
    const { openWorkspace } = await createWorkspace();
    const tree = await prepareWorkingTree(openWorkspace());
    expect(await unfinishedViolation(tree, undefined)).toMatch(/^Nothing is changed yet\./);
    writeFileSync(join(tree.checkout.workingTree, 'a.txt'), 'two\n');
    expect(await unfinishedViolation(tree, undefined)).toBeUndefined();
    const failing = failWith(new Error('The name is too long.'));
    expect(await unfinishedViolation(failing, undefined)).toBe('The files cannot be committed: The name is too long.');
  });

  it('accepts what the branch already changes, but not commits that undo each other', async () => {
    const { openWorkspace, commit } = await createWorkspace();
    commit(branch, { 'a.txt': 'two\n' }, { from: 'main' });
    expect(await unfinishedViolation(await prepareWorkingTree(openWorkspace()), undefined)).toBeUndefined();
    commit(branch, { 'a.txt': 'one\n' });
    const undone = await prepareWorkingTree(openWorkspace());
    expect(await unfinishedViolation(undone, undefined)).toMatch(/^Nothing is changed yet\./);
  });

  it('names at most thirty conflict markers that remain', async () => {
    const { openWorkspace, commit } = await createWorkspace();
    const files = (text: string) => Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`f${at}`, text]));
    commit(branch, files('ours\n'), { from: 'main' });
    commit('main', files('theirs\n'));
    const workspace = openWorkspace();
    const { conflict } = await detectConflict(workspace, at);
    const tree = await prepareWorkingTree(workspace, conflict);
    const violation = await unfinishedViolation(tree, conflict);
    expect(violation).toMatch(/^Conflict markers remain at f0:1, .*\. Resolve them/);
    expect(violation?.match(/f\d+:\d+/g)).toHaveLength(30);
    for (const [name, text] of Object.entries(files('both\n')))
      writeFileSync(join(tree.checkout.workingTree, name), text);
    // Unlike a first change, a resolution may leave the files as they were.
    expect(await unfinishedViolation(tree, conflict)).toBeUndefined();
    mkdirSync(join(tree.checkout.workingTree, 'sub'));
    writeFileSync(join(tree.checkout.workingTree, 'sub/new'), '<<<<<<< HEAD\n');
    expect(await unfinishedViolation(tree, conflict)).toContain('sub/new:1');
    expect(await unfinishedViolation({ ...tree, ...failWith(new Error('No.')) }, conflict)).toContain('No.');
  });
});

it('takes each file as its commit has it, whatever the attributes of the repo convert', async () => {
  const files = { 'crlf.txt': 'one\r\n', 'id.txt': '$Id$\n', 'wide.txt': 'not UTF-16\n' };
  const world = await createWorkspace(files);
  world.commit('main', { '.gitattributes': '* text\nid.txt ident\nwide.txt working-tree-encoding=UTF-16\n' });
  const { checkout } = await prepareWorkingTree(world.openWorkspace());
  expect(await checkout.stage()).toEqual({ patch: undefined, skipped: [] });
  const read = (path: string): string => readFileSync(join(checkout.workingTree, path), 'utf8');
  expect(Object.keys(files).map(read)).toEqual(Object.values(files));
});
