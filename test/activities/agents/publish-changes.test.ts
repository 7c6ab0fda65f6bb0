import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishChanges, wasDiscarded } from '../../../activities/agents/publish-changes.ts';
import { stageChanges } from '../../../activities/agents/stage-changes.ts';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import type { TurnContext } from '../../../activities/agents/turn.ts';
import { detectConflict } from '../../../activities/agents/working-tree.ts';
import type { ResponsePart, ResultsPart } from '../../../src/rules/agents/transcript-parts.ts';
import { at, branch, createWorkspace } from './workspace-fixture.ts';

const response = { messages: [], toolCalls: [], text: 'I\0greet by\tname.', usage: {} } as unknown as ResponsePart;
const changed: ResultsPart = { messages: [], changed: true, at };
const done: ResultsPart = { messages: [], changed: false, at, verdict: { outcome: 'done', summary: 'Greets.' } };
const fresh = { conflict: undefined, response, isInTree: true };
/** Another worker has the recorded patch, but not the files. */
const resumed = { ...fresh, isInTree: false };

/** Writes a file as the tools of the turn do, and records the patch. */
async function write(turn: TurnContext, path: string, text: string): Promise<void> {
  const tree = await turn.prepareTree();
  writeFileSync(join(tree.checkout.workingTree, path), text);
  await stageChanges(turn, tree);
}

it('pushes what the tools have just written, under the text of the model or its verdict', async () => {
  const { openTurn, git } = await createWorkspace();
  const turn = openTurn();
  await write(turn, 'a.txt', 'two\n');
  const head = await publishChanges(turn, changed, fresh);
  expect(git('rev-parse', branch)).toBe(head);
  expect(git('log', '-1', '--format=%s', branch)).toBe('I greet by name.');
  const second = openTurn({}, { ref: { ...turn.ref, turn: 2 } });
  await write(second, 'a.txt', 'three\n');
  await publishChanges(second, { ...done, changed: true }, fresh);
  expect(git('log', '-1', '--format=%s%n%aI', branch)).toMatch(/^Greets\.\n2026-01-01T00:00:00/);
});

it('pushes a recorded turn from another worker, once', async () => {
  const { openTurn, openWorkspace, git } = await createWorkspace();
  await write(openTurn(), 'a.txt', 'two\n');
  const elsewhere = { workspace: openWorkspace('elsewhere') };
  const head = await publishChanges(openTurn({}, elsewhere), changed, resumed);
  expect(git('show', `${branch}:a.txt`)).toBe('two');
  expect(await publishChanges(openTurn({}, elsewhere), changed, resumed)).toBe(head);
  expect(git('rev-parse', branch)).toBe(head);
});

it('refuses a recorded turn that conflicts with the commits of others', async () => {
  const { openTurn, commit, git } = await createWorkspace();
  await write(openTurn(), 'a.txt', 'two\n');
  const theirs = commit(branch, { 'a.txt': 'theirs\n' }, { from: 'main' });
  await expect(publishChanges(openTurn(), changed, resumed)).rejects.toMatchObject({
    reason: 'branch-moved',
    message: expect.stringContaining(`Other commits on "${branch}" change the same lines as the agent.`),
  });
  expect(git('rev-parse', branch)).toBe(theirs);
});

it('opens no checkout for a turn that changed nothing, and none for a report', async () => {
  const { openTurn, commit } = await createWorkspace();
  const prepareTree = async () => await Promise.reject(new Error('A checkout was opened.'));
  expect(await publishChanges(openTurn({}, { prepareTree }), done, fresh)).toBeUndefined();
  const head = commit(branch, { 'a.txt': 'two\n' }, { from: 'main' });
  expect(await publishChanges(openTurn({}, { prepareTree }), done, fresh)).toBe(head);
  expect(await publishChanges(openTurn({ mode: 'report' }, { prepareTree }), changed, fresh)).toBeUndefined();
});

it('moves the branch of a conflict only once it is resolved', async () => {
  const { openTurn, commit, git } = await createWorkspace();
  const ours = commit(branch, { 'a.txt': 'ours\n' }, { from: 'main' });
  const theirs = commit('main', { 'a.txt': 'theirs\n' });
  const { conflict } = await detectConflict(openTurn().workspace, at);
  const options = { conflict, response, isInTree: true };
  const unsure: ResultsPart = { ...done, verdict: { outcome: 'needs-guidance', summary: 'Which one?' } };
  expect(await publishChanges(openTurn(), unsure, options)).toBe(ours);
  expect(git('for-each-ref', 'refs/service')).toBe('');
  expect(await publishChanges(openTurn(), { ...unsure, changed: true }, options)).toBe(ours);
  expect(git('for-each-ref', 'refs/service')).not.toBe('');
  const next = openTurn({}, { ref: { ...openTurn().ref, turn: 2 } });
  const merged = await publishChanges(next, done, options);
  expect(git('log', '-1', '--format=%H %P', branch)).toBe(`${merged} ${ours} ${theirs}`);
});

it('says why the code host rejects a turn for good, and what a person can do', async () => {
  const { openTurn, rejectPushes } = await createWorkspace();
  rejectPushes('Secret in a.txt');
  await write(openTurn(), 'a.txt', 'two\n');
  await expect(publishChanges(openTurn(), changed, resumed)).rejects.toMatchObject({
    reason: 'codehost-conflict',
    message:
      `The code host rejected the push to refs/heads/${branch}: [remote rejected] (pre-receive hook declined)\n` +
      'Secret in a.txt\nThe changes of this turn are discarded. Give guidance to continue from the current branch.',
  });
});

it.each([
  ['were pushed', false],
  ['were rejected', true],
])('knows whether the changes of the previous turn %s', async (_, isRejected) => {
  const { openTurn, blobs, rejectPushes } = await createWorkspace();
  const turn = openTurn();
  const wasLost = async () => await wasDiscarded(openTurn({}, { ref: { ...turn.ref, turn: 2 } }));
  await write(turn, 'a.txt', 'two\n');
  expect(await wasLost()).toBe(false);
  await saveTurnPart(blobs, turn.ref, { results: changed });
  if (isRejected) rejectPushes('Secret in a.txt');
  await publishChanges(turn, changed, resumed).catch(() => undefined);
  expect(await wasLost()).toBe(isRejected);
});
