import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import type { BaseBranchMerge } from '../../../activities/agents/agent-activities.ts';
import {
  call,
  finish,
  runCommand as command,
  turn as says,
  write,
  type ScriptedTurn,
} from '../../../src/emulators/model/scenario.ts';
import { conflictResolverTurns } from '../../../src/emulators/model/scenarios/any-issue.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const branch = 'service/change-hello-7';
const ref = { org: 'acme', run: 'change-hello-7' };
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** Starts a run that has changed greeting.js, with a scripted conflict resolver. */
async function startChangedRun(
  resolver: ScriptedTurn[] = conflictResolverTurns,
  onRequest: (conversation: string) => void = () => {},
): Promise<AgentRunHarness> {
  const implementer = [
    says('Change.', write('greeting.js', "export const greeting = () => 'Hello, moon';", '// ours')),
  ];
  const roles = { implementer, 'conflict-resolver': resolver };
  const matches = (conversation: string): boolean => {
    onRequest(conversation);
    return true;
  };
  const run = await startAgentRunHarness({ title: 'Anything' }, [{ name: 'scripted', matches, roles }]);
  open.push(run);
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  return run;
}

const mergeBase = async (run: AgentRunHarness): Promise<BaseBranchMerge> =>
  await new MockActivityEnvironment().run(run.createActivities().mergeBaseBranch, ref);
const commitToMain = async (run: AgentRunHarness, file: string, text: string): Promise<string> =>
  await run.pushAsUser('main', (folder) => writeFileSync(join(folder, file), text));
const listParents = (run: AgentRunHarness, revision: string): string[] =>
  run.git('log', '-1', '--format=%P', revision).split(' ');

it('makes one merge commit of a resolution when its turns are repeated', async () => {
  const run = await startChangedRun();
  const before = run.git('rev-parse', branch);
  const base = await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n// theirs\n");
  const first = await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  expect(first).toMatchObject({ done: false, changed: true, headSha: before });
  expect(run.git('rev-parse', branch)).toBe(before);
  expect(
    await run.runTurn({ step: 'resolve-conflicts', turn: 1 }, { checkoutsDir: join(run.folder, 'other') }),
  ).toEqual(first);
  const last = await run.runTurn({ step: 'resolve-conflicts', turn: 2 });
  expect(last).toMatchObject({ done: true, verdict: { outcome: 'done' }, headSha: run.git('rev-parse', branch) });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 2 })).toEqual(last);
  expect(listParents(run, branch)).toEqual([before, base]);
  const text = run.git('show', `${branch}:greeting.js`);
  expect(text).toContain('moon');
  expect(text).toContain('mars');
  expect(text).not.toMatch(/<<<<<<<|>>>>>>>/);
  expect(run.git('for-each-ref', 'refs/service')).toBe('');
});

it('resolves the conflict of the start of the round when the base moves', async () => {
  const run = await startChangedRun();
  const base = await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, venus';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 2 });
  expect(listParents(run, branch)[1]).toBe(base);
  expect((await mergeBase(run)).outcome).toBe('conflicts');
});

it('rejects a resolution that contains conflict markers', async () => {
  const run = await startChangedRun([finish('done', 'Done at once.'), ...conflictResolverTurns]);
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' })).toMatchObject({
    done: false,
  });
  await run.runTurn({ step: 'resolve-conflicts', turn: 2 });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 3 })).toMatchObject({ done: true });
});

it('asks for guidance when the branch moves during a resolution, and then resolves the current conflict', async () => {
  const run = await startChangedRun([...conflictResolverTurns, ...conflictResolverTurns]);
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  const moved = await run.pushAsUser(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  const refused = await run.runTurn({ step: 'resolve-conflicts', turn: 2 });
  expect(refused).toMatchObject({ done: true, verdict: { outcome: 'needs-guidance' } });
  expect(run.git('rev-parse', branch)).toBe(moved);
  await run.runTurn({ step: 'resolve-conflicts', turn: 3, trigger: 'guidance' });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 4 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:NOTE.md`)).toBe('mine');
  expect(listParents(run, branch)[0]).toBe(moved);
});

it('gives the resolver the markers and the history, and the new conflict in a second round', async () => {
  const look = says('Look.', call('read_file', { path: 'greeting.js' }), command('git log --oneline | head -5'));
  const run = await startChangedRun([look, ...conflictResolverTurns, ...conflictResolverTurns]);
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  await run.runTurn({ step: 'resolve-conflicts', turn: 2 });
  await run.runTurn({ step: 'resolve-conflicts', turn: 3 });
  const base = await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, venus';\n");
  expect((await mergeBase(run)).outcome).toBe('conflicts');
  await run.runTurn({ step: 'resolve-conflicts', turn: 4, trigger: 'conflicts' });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 5 })).toMatchObject({ done: true });
  expect(listParents(run, branch)[1]).toBe(base);
});

it('discards a resolution against an earlier base', async () => {
  const run = await startChangedRun([...conflictResolverTurns.slice(0, 1), ...conflictResolverTurns]);
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  await commitToMain(run, 'OTHER.md', 'must not be lost');
  await run.runTurn({ step: 'resolve-conflicts', turn: 2, trigger: 'conflicts' });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 3 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:OTHER.md`)).toBe('must not be lost');
});

it('reports unreviewed commits although git resolves the merge itself', async () => {
  const run = await startChangedRun();
  const reviewedSha = run.git('rev-parse', branch);
  await commitToMain(run, 'OTHER.md', 'other');
  await run.pushAsUser(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  const { mergeBaseBranch, checkUnreviewedCommits } = run.createActivities();
  const merged: BaseBranchMerge = await new MockActivityEnvironment().run(mergeBaseBranch, { ...ref, reviewedSha });
  expect(merged).toMatchObject({ outcome: 'merged', hasUnreviewedCommits: true });
  expect(await new MockActivityEnvironment().run(checkUnreviewedCommits, { ...ref, reviewedSha })).toEqual({
    headSha: merged.headSha,
    hasUnreviewedCommits: true,
  });
});

it('finds markers that the resolver moved, and ignores text that looked like a marker before', async () => {
  const text = ['<<<<<<< an example of a marker', '=======', '>>>>>>> its end'].join('\n');
  const run = await startChangedRun([
    says('I move it.', command("mv greeting.js moved.js && sed -i 's/^=======$//' moved.js")),
    finish('done', 'Moved.'),
    says('Now really.', command('sed -i -E "/^(<{7} |>{7} )/d" moved.js')),
    finish('done', 'Settled.'),
  ]);
  await commitToMain(run, 'MARKERS.md', text);
  await commitToMain(run, 'greeting.js', "export const greeting = () => 'Hello, mars';\n");
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 2 })).toMatchObject({ done: false });
  await run.runTurn({ step: 'resolve-conflicts', turn: 3 });
  expect(await run.runTurn({ step: 'resolve-conflicts', turn: 4 })).toMatchObject({ verdict: { outcome: 'done' } });
  expect(run.git('show', `${branch}:MARKERS.md`)).toBe(text);
});

it('names the conflicted files without markers in the prompt', async () => {
  const requests: string[] = [];
  const run = await startChangedRun(conflictResolverTurns, (conversation) => void requests.push(conversation));
  await run.pushAsUser('main', (folder) => rmSync(join(folder, 'greeting.js')));
  await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' });
  expect(requests.at(-1)).toContain('conflicted files without markers">\ngreeting.js\n');
});
