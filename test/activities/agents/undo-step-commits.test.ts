import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { finish, turn, write } from '../../../src/emulators/model/scenario.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const branch = 'service/change-hello-7';
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** Runs two turns whose agent writes a file each, and which are to be discarded. */
async function startRun() {
  const conversations: string[] = [];
  const matches = (conversation: string): boolean => conversations.push(conversation) > 0;
  const turns = [
    turn('The first file.', write('first.txt', 'one')),
    turn('The second file.', write('second.txt', 'two')),
    finish('done', 'Two files.'),
  ];
  const run = await startAgentRunHarness({ title: 'Write a file' }, [
    { name: 'scripted', matches, roles: { implementer: turns } },
  ]);
  open.push(run);
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  await run.runTurn({ step: 'implement', turn: 2 });
  const listFiles = (): string[] => run.git('ls-tree', '--name-only', branch).split('\n');
  const listSubjects = (): string[] => run.git('log', '--format=%s', `main..${branch}`).split('\n');
  return { run, conversations, listFiles, listSubjects };
}

it('starts over with the task and the guidance, without the conversation and the commits', async () => {
  const { run, conversations, listFiles, listSubjects } = await startRun();
  expect(listFiles()).toEqual(expect.arrayContaining(['first.txt', 'second.txt']));
  await run.guide('implement', 2, 'Use one file.');
  conversations.length = 0;
  const restarted = await run.runTurn({ step: 'implement', turn: 3, trigger: 'restart' });
  expect(restarted).toMatchObject({ done: false, changed: true, headSha: run.git('rev-parse', branch) });
  expect(conversations[0]).toContain('Write a file');
  expect(conversations[0]).toContain('Use one file.');
  expect(conversations[0]).not.toContain('The second file.');
  // The agent takes its first turn again.
  expect(listFiles()).toContain('first.txt');
  expect(listFiles()).not.toContain('second.txt');
  expect(listSubjects()).toEqual([
    'Scripted: The first file.',
    'Start over: implement',
    'Scripted: The second file.',
    'Scripted: The first file.',
  ]);
  expect(await run.runTurn({ step: 'implement', turn: 3, trigger: 'restart' })).toEqual(restarted);
  expect(listSubjects()).toHaveLength(4);
});

it('undoes the commits once when the worker dies before it has saved the prompt', async () => {
  const { run, listSubjects } = await startRun();
  const { blobs } = run.deps;
  const put: typeof blobs.put = async (key, bytes) => {
    if (key.endsWith('/prompt')) throw new Error('The worker dies.');
    await blobs.put(key, bytes);
  };
  const restart = { step: 'implement', turn: 3, trigger: 'restart' } as const;
  await expect(run.runTurn(restart, { blobs: { ...blobs, put } })).rejects.toThrow('The worker dies.');
  await run.runTurn(restart, { checkoutsDir: join(run.folder, 'other') });
  expect(listSubjects().filter((subject) => subject === 'Start over: implement')).toHaveLength(1);
});

it('says why the code host rejects the commit that undoes them, because it would reject a repetition', async () => {
  const { run, listSubjects } = await startRun();
  const hooks = join(run.git('rev-parse', '--absolute-git-dir'), 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'pre-receive'), "#!/bin/sh\necho 'Commits must be signed.' >&2\nexit 1\n", { mode: 0o755 });
  await expect(run.runTurn({ step: 'implement', turn: 3, trigger: 'restart' })).rejects.toMatchObject({
    message: expect.stringMatching(/Commits must be signed\.\n.*retry the step/) as unknown,
    nonRetryable: true,
  });
  expect(listSubjects()).toHaveLength(2);
});

it('keeps the commits when a person has added one', async () => {
  const { run, listFiles } = await startRun();
  await run.pushAsUser(branch, (folder) => writeFileSync(join(folder, 'third.txt'), 'three'));
  await run.runTurn({ step: 'implement', turn: 3, trigger: 'restart' });
  expect(listFiles()).toEqual(expect.arrayContaining(['first.txt', 'second.txt', 'third.txt']));
});

it('does not accept a step that started over and changed nothing', async () => {
  const turns = [turn('A file.', write('first.txt', 'one')), finish('done', 'Done.')];
  let isRestarted = false;
  const roles = { implementer: turns };
  const run = await startAgentRunHarness({ title: 'Write a file' }, [
    { name: 'first', matches: () => !isRestarted, roles },
    { name: 'then', matches: () => isRestarted, roles: { implementer: [finish('done', 'Nothing to do.')] } },
  ]);
  open.push(run);
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  isRestarted = true;
  expect(await run.runTurn({ step: 'implement', turn: 2, trigger: 'restart' })).toMatchObject({ done: false });
});

it('starts over also in the turn that failed after its commit, and commits that turn again', async () => {
  const { run, conversations, listFiles, listSubjects } = await startRun();
  conversations.length = 0;
  // The pull request could not be opened, so the run repeats the turn that has a response and a commit.
  const restarted = await run.runTurn({ step: 'implement', turn: 2, trigger: 'restart' });
  expect(conversations).toHaveLength(1);
  expect(conversations[0]).not.toContain('The first file.');
  expect(restarted).toMatchObject({ done: false, changed: true, headSha: run.git('rev-parse', branch) });
  expect(listFiles()).toContain('first.txt');
  expect(listFiles()).not.toContain('second.txt');
  expect(listSubjects().slice(0, 2)).toEqual(['Scripted: The first file.', 'Start over: implement']);
  expect(await run.runTurn({ step: 'implement', turn: 2, trigger: 'restart' })).toEqual(restarted);
  expect(listSubjects()).toHaveLength(4);
});
