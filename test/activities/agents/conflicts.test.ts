import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import type { BaseMerge } from '../../../activities/agents.ts';
import {
  call,
  finish,
  run as command,
  turn as says,
  write,
  type RehearsedTurn,
} from '../../../src/local/model/example.ts';
import { conflictResolver } from '../../../src/local/model/examples/any-issue.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';

const branch = 'service/change-hello-7';
const at = { org: 'acme', run: 'change-hello-7' };
const open: AgentRun[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** A run that changed greeting.js, with a resolver of the test's own. */
async function changed(
  resolver: RehearsedTurn[] = conflictResolver,
  asked: (conversation: string) => void = () => {},
): Promise<AgentRun> {
  const implementer = [
    says('Change.', write('greeting.js', "export const greeting = () => 'Hello, moon';", '// ours')),
  ];
  const roles = { implementer, 'conflict-resolver': resolver };
  const matches = (conversation: string): boolean => {
    asked(conversation);
    return true;
  };
  const run = await startAgentRun({ title: 'Anything' }, [{ name: 'scripted', matches, roles }]);
  open.push(run);
  await run.turn({ step: 'implement', turn: 1, opening: 'start' });
  return run;
}

const mergeBase = async (run: AgentRun): Promise<BaseMerge> =>
  await new MockActivityEnvironment().run(run.activities().mergeBase, at);
const onMain = async (run: AgentRun, file: string, text: string): Promise<string> =>
  await run.push('main', (folder) => writeFileSync(join(folder, file), text));
const parents = (run: AgentRun, ref: string): string[] => run.git('log', '-1', '--format=%P', ref).split(' ');

it('merges a base that moved elsewhere, once, and says when there is nothing to merge', async () => {
  const run = await changed();
  const before = run.git('rev-parse', branch);
  expect(await mergeBase(run)).toEqual({ outcome: 'up-to-date', headSha: before });
  const base = await onMain(run, 'OTHER.md', 'other');
  const merged = await mergeBase(run);
  expect(merged).toMatchObject({ outcome: 'merged', headSha: run.git('rev-parse', branch) });
  expect(parents(run, branch)).toEqual([before, base]);
  expect(await mergeBase(run)).toEqual(merged);
});

it('says which files conflict and leaves the branch as it is', async () => {
  const run = await changed();
  const before = run.git('rev-parse', branch);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  expect(await mergeBase(run)).toEqual({ outcome: 'conflicts', headSha: before, files: ['greeting.js'] });
  expect(run.git('rev-parse', branch)).toBe(before);
});

it('makes one merge commit of what the resolver did, however often its turns are taken', async () => {
  const run = await changed();
  const before = run.git('rev-parse', branch);
  const base = await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n// theirs\n");
  const first = await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  expect(first).toMatchObject({ done: false, changed: true, headSha: before });
  expect(run.git('rev-parse', branch)).toBe(before);
  expect(await run.turn({ step: 'resolve-conflicts', turn: 1 }, { checkoutsDir: join(run.folder, 'other') })).toEqual(
    first,
  );
  const last = await run.turn({ step: 'resolve-conflicts', turn: 2 });
  expect(last).toMatchObject({ done: true, verdict: { outcome: 'done' }, headSha: run.git('rev-parse', branch) });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 2 })).toEqual(last);
  expect(parents(run, branch)).toEqual([before, base]);
  const text = run.git('show', `${branch}:greeting.js`);
  expect(text).toContain('moon');
  expect(text).toContain('mars');
  expect(text).not.toMatch(/<<<<<<<|>>>>>>>/);
  expect(run.git('for-each-ref', 'refs/service')).toBe('');
});

it('stays with the conflict that it began with, although the base moves on', async () => {
  const run = await changed();
  const base = await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, venus';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 2 });
  expect(parents(run, branch)[1]).toBe(base);
  expect((await mergeBase(run)).outcome).toBe('conflicts');
});

it('does not take markers for a resolution', async () => {
  const run = await changed([finish('done', 'Done at once.'), ...conflictResolver]);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  expect(await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' })).toMatchObject({ done: false });
  await run.turn({ step: 'resolve-conflicts', turn: 2 });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 3 })).toMatchObject({ done: true });
});

it('asks a person when other commits came to the branch meanwhile, and then begins with the conflict as it is', async () => {
  const run = await changed([...conflictResolver, ...conflictResolver]);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  const moved = await run.push(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  const refused = await run.turn({ step: 'resolve-conflicts', turn: 2 });
  expect(refused).toMatchObject({ done: true, verdict: { outcome: 'needs-guidance' } });
  expect(run.git('rev-parse', branch)).toBe(moved);
  await run.turn({ step: 'resolve-conflicts', turn: 3, opening: 'guidance' });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 4 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:NOTE.md`)).toBe('mine');
  expect(parents(run, branch)[0]).toBe(moved);
});

it('shows the resolver the markers and the history, and a second round the new conflict', async () => {
  const look = says('Look.', call('read_file', { path: 'greeting.js' }), command('git log --oneline | head -5'));
  const run = await changed([look, ...conflictResolver, ...conflictResolver]);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  await run.turn({ step: 'resolve-conflicts', turn: 2 });
  await run.turn({ step: 'resolve-conflicts', turn: 3 });
  const base = await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, venus';\n");
  expect((await mergeBase(run)).outcome).toBe('conflicts');
  await run.turn({ step: 'resolve-conflicts', turn: 4, opening: 'conflicts' });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 5 })).toMatchObject({ done: true });
  expect(parents(run, branch)[1]).toBe(base);
});

it('never takes the work on an earlier base for a resolution with a newer one', async () => {
  const run = await changed([...conflictResolver.slice(0, 1), ...conflictResolver]);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  await onMain(run, 'OTHER.md', 'must not be lost');
  await run.turn({ step: 'resolve-conflicts', turn: 2, opening: 'conflicts' });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 3 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:OTHER.md`)).toBe('must not be lost');
});

/** What came to the branch since that head. */
const judgeMove = async (run: AgentRun, shown: string): Promise<unknown> =>
  await new MockActivityEnvironment().run(run.activities().judgeHeadMove, { ...at, shown });

it('tells merges of the base that git makes by itself from all else that comes to the branch', async () => {
  const run = await changed();
  const shown = run.git('rev-parse', branch);
  expect(await judgeMove(run, shown)).toEqual({ headSha: shown, beyond: false });
  for (const text of ['one', 'two']) {
    await onMain(run, 'OTHER.md', text);
    await mergeBase(run);
  }
  expect(await judgeMove(run, shown)).toEqual({ headSha: run.git('rev-parse', branch), beyond: false });

  await onMain(run, 'OTHER.md', 'three');
  const tree = run.git('write-tree');
  const forged = run.git('commit-tree', tree, '-p', branch, '-p', 'main', '-m', 'Merge main, and something with it');
  run.git('update-ref', `refs/heads/${branch}`, forged);
  expect(await judgeMove(run, shown)).toEqual({ headSha: forged, beyond: true });
});

it('says that commits came which were not shown, although git settles the conflict itself', async () => {
  const run = await changed();
  const shown = run.git('rev-parse', branch);
  await onMain(run, 'OTHER.md', 'other');
  await run.push(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  const merge = async (): Promise<unknown> =>
    await new MockActivityEnvironment().run(run.activities().mergeBase, { ...at, shown });
  expect(await merge()).toMatchObject({ outcome: 'merged', beyond: true });
  expect(await merge()).toMatchObject({ outcome: 'merged', beyond: true });
});

it('finds markers wherever the resolver put them, and takes none for one that was there before', async () => {
  const text = ['<<<<<<< an example of a marker', '=======', '>>>>>>> its end'].join('\n');
  const run = await changed([
    says('I move it.', command("mv greeting.js moved.js && sed -i 's/^=======$//' moved.js")),
    finish('done', 'Moved.'),
    says('Now really.', command('sed -i -E "/^(<{7} |>{7} )/d" moved.js')),
    finish('done', 'Settled.'),
  ]);
  await onMain(run, 'MARKERS.md', text);
  await onMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 2 })).toMatchObject({ done: false });
  await run.turn({ step: 'resolve-conflicts', turn: 3 });
  expect(await run.turn({ step: 'resolve-conflicts', turn: 4 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:MARKERS.md`)).toBe(text);
});

it('tells the resolver which conflicts show no markers', async () => {
  const asked: string[] = [];
  const run = await changed(conflictResolver, (conversation) => void asked.push(conversation));
  await run.push('main', (folder) => rmSync(join(folder, 'greeting.js')));
  await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' });
  expect(asked.at(-1)).toContain('conflicted files without markers">\ngreeting.js\n');
});
