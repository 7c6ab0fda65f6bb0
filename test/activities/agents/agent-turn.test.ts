import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import {
  call,
  edit,
  finish,
  run as command,
  turn as says,
  write,
  type Example,
  type RehearsedTurn,
} from '../../../src/local/model/example.ts';
import { guidanceKey, turnKey, type TurnPart } from '../../../src/rules/agents/transcript-keys.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';

const branch = 'service/change-hello-7';
const open: AgentRun[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

async function start(title = 'Greet visitors by name', examples?: Example[]): Promise<AgentRun> {
  const run = await startAgentRun({ title }, examples);
  open.push(run);
  return run;
}

/** A run whose model has a script of the test's own. */
async function scripted(roles: Record<string, RehearsedTurn[]>): Promise<AgentRun> {
  return await start('Anything', [{ name: 'scripted', matches: () => true, roles }]);
}

/** The process dies right before or right after a part of the turn is kept. */
function dyingAt(blobs: Blobs, part: TurnPart, when: 'before' | 'after'): Blobs {
  return {
    ...blobs,
    put: async (key, bytes) => {
      const isLast = key.endsWith(`/${part}`);
      if (!isLast || when === 'after') await blobs.put(key, bytes);
      if (isLast) throw new Error('killed');
    },
  };
}

async function saidBack({ deps, uid }: AgentRun, step: string, turn: number): Promise<string> {
  const bytes = await deps.blobs.find(turnKey({ uid, step, turn }, 'results'));
  return JSON.stringify(JSON.parse(Buffer.from(bytes ?? '{}').toString()));
}

const commits = (run: AgentRun): string[] =>
  run.git('log', '--format=%(trailers:key=Service-Turn,valueonly)', `main..${branch}`).split('\n').filter(Boolean);

it('does what an issue asks for, turn by turn, and pushes each turn that changed something', async () => {
  const run = await start();
  expect(await run.turn({ step: 'implement', turn: 1, opening: 'start' })).toMatchObject({
    done: false,
    changed: false,
  });
  expect(run.git('branch', '--list', branch)).toBe('');
  const { outcome, turns } = await run.round('implement', 1);
  expect(turns).toBe(5);
  expect(outcome).toMatchObject({ done: true, verdict: { outcome: 'done' }, headSha: run.git('rev-parse', branch) });
  expect(outcome.usage.inputTokens).toBeGreaterThan(1000);
  expect(commits(run)).toEqual(['implement/3', 'implement/2']);
  expect(run.git('show', `${branch}:greeting.js`)).toContain('Hello, ${name');
  expect(run.git('log', '-1', '--format=%an <%ae>', branch)).toBe('Delivery Service <service@localhost>');
  expect((await run.round('review-code', 1)).outcome.verdict?.outcome).toBe('approved');
  expect((await run.round('review-tests', 1)).outcome.verdict?.outcome).toBe('approved');
  expect(await saidBack(run, 'review-tests', 1)).toContain('greets by the name that is given');
});

it('tells the implementer what a review objects to, and the reviewer what was changed', async () => {
  const run = await start('Show the time on the page');
  const first = await run.round('implement', 1);
  const review = await run.round('review-code', 1);
  expect(review.outcome.verdict?.outcome).toBe('changes-requested');
  const second = await run.round('implement', first.turns + 1, 'changes-requested');
  const opening = await run.deps.blobs.find(
    turnKey({ uid: run.uid, step: 'implement', turn: first.turns + 1 }, 'opening'),
  );
  expect(Buffer.from(opening ?? '').toString()).toContain('without escapeHtml');
  expect(second.outcome.verdict?.outcome).toBe('done');
  expect((await run.round('review-code', review.turns + 1)).outcome.verdict?.outcome).toBe('approved');
  expect((await run.round('review-tests', 1)).outcome.verdict?.outcome).toBe('approved');
});

it.each([
  'Greet visitors by name',
  'Show the time on the page',
  'Drop the start script',
  'Answer 500 on the front page',
])('has a worked example that fits the sample Product: %s', async (title) => {
  const run = await start(title);
  const { turns } = await run.round('implement', 1);
  for (let turn = 1; turn <= turns; turn += 1)
    expect(await saidBack(run, 'implement', turn)).not.toContain('error-text');
});

it('pays an answer once, although the process died before its tools had run', async () => {
  const run = await start();
  await run.turn({ step: 'implement', turn: 1 });
  const blobs = dyingAt(run.deps.blobs, 'results', 'before');
  await expect(run.turn({ step: 'implement', turn: 2 }, { blobs })).rejects.toThrow('killed');
  const answerLost = run.questions.length;
  expect(await run.turn({ step: 'implement', turn: 2 })).toMatchObject({ changed: true });
  expect(run.questions.length).toBe(answerLost);
  expect(commits(run)).toEqual(['implement/2']);
});

it('brings a turn to the branch from another host, when the one that took it died with its disk', async () => {
  const run = await start();
  await run.turn({ step: 'implement', turn: 1 });
  const blobs = dyingAt(run.deps.blobs, 'results', 'after');
  await expect(run.turn({ step: 'implement', turn: 2 }, { blobs })).rejects.toThrow('killed');
  expect(run.git('branch', '--list', branch)).toBe('');
  const checkoutsDir = join(run.folder, 'other-host');
  const result = await run.turn({ step: 'implement', turn: 2 }, { checkoutsDir });
  expect(result).toMatchObject({ changed: true, headSha: run.git('rev-parse', branch) });
  expect(run.git('show', `${branch}:greeting.js`)).toContain('Hello, ${name');
  expect(run.questions.length).toBe(2);
});

it('gives the same answer and makes no second commit when a turn is taken again', async () => {
  const run = await start();
  await run.turn({ step: 'implement', turn: 1 });
  const once = await run.turn({ step: 'implement', turn: 2 });
  expect(await run.turn({ step: 'implement', turn: 2 })).toEqual(once);
  rmSync(run.deps.checkoutsDir, { recursive: true });
  expect(await run.turn({ step: 'implement', turn: 2 })).toEqual(once);
  expect(commits(run)).toEqual(['implement/2']);
  expect(run.questions.length).toBe(2);
});

it('goes on at the next turn with a checkout that was lost or broken', async () => {
  const run = await start();
  await run.turn({ step: 'implement', turn: 1 });
  await run.turn({ step: 'implement', turn: 2 });
  const git = join(run.deps.checkoutsDir, 'acme', 'change-hello-7', 'implement', 'git');
  writeFileSync(join(git, 'HEAD'), 'rubbish');
  writeFileSync(join(git, 'index.lock'), '');
  await run.turn({ step: 'implement', turn: 3 });
  rmSync(run.deps.checkoutsDir, { recursive: true });
  await run.turn({ step: 'implement', turn: 4 });
  expect(await saidBack(run, 'implement', 4)).toContain('a name cannot bring markup');
});

it('keeps what a person pushed to the branch between two turns', async () => {
  const run = await start();
  await run.turn({ step: 'implement', turn: 1 });
  await run.turn({ step: 'implement', turn: 2 });
  await run.push(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  await run.turn({ step: 'implement', turn: 3 });
  expect(run.git('show', `${branch}:NOTE.md`)).toBe('mine');
  expect(commits(run)).toEqual(['implement/3', 'implement/2']);
});

it('reminds a model that calls no tool once, and then asks a person', async () => {
  const run = await scripted({ implementer: [says('I wonder.'), says('Still wondering.')] });
  expect(await run.turn({ step: 'implement', turn: 1 })).toMatchObject({ done: false, changed: false });
  const second = await run.turn({ step: 'implement', turn: 2 });
  expect(second).toMatchObject({ done: true, verdict: { outcome: 'needs-guidance' } });
  expect(second.verdict?.summary).toContain('Still wondering');
});

it('answers a call that makes no sense with what is wrong, and goes on', async () => {
  const nonsense = [
    call('launch_rocket', { to: 'moon' }),
    call('read_file', { file: 'x' }),
    call('finish', { outcome: 'approved', summary: 'x' }),
    call('read_file', { path: 'greeting.js' }),
  ];
  const run = await scripted({ implementer: [says('Nonsense.', ...nonsense)] });
  expect(await run.turn({ step: 'implement', turn: 1 })).toMatchObject({ done: false, changed: false });
  const answers = await saidBack(run, 'implement', 1);
  expect(answers).toContain('There is no tool \\"launch_rocket\\"');
  expect(answers).toContain('The input of read_file is wrong');
  expect(answers).toContain('The input of finish is wrong');
  expect(answers).toContain('Hello, world');
});

it('does not let a change end as done with nothing changed', async () => {
  const run = await scripted({ implementer: [finish('done', 'Nothing to do.')] });
  expect(await run.turn({ step: 'implement', turn: 1 })).toMatchObject({ done: false });
  expect(await saidBack(run, 'implement', 1)).toContain('Nothing is changed yet');
});

it('gives a reviewer nothing to write with, and throws away what its commands write', async () => {
  const tries = [
    write('x.txt', 'x'),
    edit('greeting.js', 'world', 'moon'),
    call('delete_file', { path: 'page.js' }),
    command('echo spoilt > greeting.js'),
  ];
  const run = await scripted({
    implementer: [says('Change.', write('new.txt', 'new'))],
    'code-reviewer': [
      says('Try.', ...tries),
      says('Look.', command('git log --oneline; cat greeting.js; git commit --allow-empty -m x')),
    ],
  });
  await run.turn({ step: 'implement', turn: 1 });
  const head = run.git('rev-parse', branch);
  const turn = await run.turn({ step: 'review-code', turn: 1, opening: 'start' });
  expect(turn).toMatchObject({ done: false, changed: false });
  expect((await saidBack(run, 'review-code', 1)).match(/There is no tool/g)?.length).toBe(3);
  await run.turn({ step: 'review-code', turn: 2 });
  expect(await saidBack(run, 'review-code', 2)).toContain('Hello, world');
  expect(await saidBack(run, 'review-code', 2)).toContain('Read-only file system');
  expect(run.git('rev-parse', branch)).toBe(head);
});

it('lets no tool out of the checkout, by no path and no link', async () => {
  const outside = '../../../../../blobs';
  const plant =
    'ln -s /etc/passwd passwd; ln -s ../../../../.. up; ln -s up/store.db deep; mkfifo pipe; mkdir sub; ln -s ../../git sub/git';
  const reads = [
    outside,
    '/etc/passwd',
    'passwd',
    'up/store.db',
    'deep',
    'pipe',
    'sub/git/config',
    '.git/config',
    'sub/../../git/config',
    'a\0b',
    '.',
  ];
  const run = await scripted({
    implementer: [
      says('Plant.', command(plant), ...reads.map((path) => call('read_file', { path }))),
      says(
        'Write.',
        command(plant),
        ...['up/evil', 'passwd', 'pipe', '.git/hooks/x', '../evil'].map((path) => write(path, 'evil')),
      ),
      says(
        'List.',
        call('list_files', { path: '../..' }),
        call('search', { pattern: 'root', path: '/etc' }),
        call('delete_file', { path: 'up/store.db' }),
      ),
    ],
  });
  for (const turn of [1, 2, 3]) await run.turn({ step: 'implement', turn });
  const errors = [
    await saidBack(run, 'implement', 1),
    await saidBack(run, 'implement', 2),
    await saidBack(run, 'implement', 3),
  ].map((text) => text.match(/"error-text"/g)?.length);
  expect(errors).toEqual([reads.length, 5, 3]);
  expect(await saidBack(run, 'implement', 1)).not.toContain('root:');
});

it('never runs what a repository inside the checkout names, and never commits its git folder', async () => {
  const marker = join(tmpdir(), `was-run-${randomUUID()}`);
  const evil = [
    'git init -q -b main evil && cd evil && git commit -q --allow-empty -m x && git config core.fsmonitor ../evil.sh',
    `printf '#!/bin/sh\\ntouch ${marker}\\n' > ../evil.sh && chmod +x ../evil.sh && ../evil.sh`,
    'echo "* filter=evil" > ../.gitattributes; echo x > file',
  ].join('\n');
  const run = await scripted({
    implementer: [
      says('Plant.', command(evil)),
      says('Look.', call('list_files'), command('ls -a evil; rm evil/file')),
    ],
  });
  await run.turn({ step: 'implement', turn: 1 });
  expect(run.git('ls-tree', '-r', '--name-only', branch)).toContain('evil/file');
  await run.turn({ step: 'implement', turn: 2 });
  expect(existsSync(marker)).toBe(false);
  expect(run.git('ls-tree', '-r', branch)).not.toContain('160000');
});

it('leaves out files that are too large or only evidence, and says so', async () => {
  const large =
    'head -c 6000000 /dev/zero > large.bin; mkdir -p .service/artifacts; echo seen > .service/artifacts/x.txt; echo small > small.txt';
  const run = await scripted({ implementer: [says('Write.', command(large))] });
  await run.turn({ step: 'implement', turn: 1 });
  expect(await saidBack(run, 'implement', 1)).toContain('left out: large.bin');
  expect(run.git('diff', '--name-only', 'main', branch)).toBe('small.txt');
});

it('keeps the key to the code host out of the checkout and the sandbox', async () => {
  const run = await scripted({
    implementer: [says('Search.', command('env; grep -r c2VjcmV0 /workspace /proc/1/environ; cat .git/config'))],
  });
  await run.turn({ step: 'implement', turn: 1 });
  expect(await saidBack(run, 'implement', 1)).not.toContain('c2VjcmV0OnNlY3JldA');
});

it('asks a person about an issue it has no example for, and goes on with the answer', async () => {
  const run = await start('Something else entirely');
  const first = await run.turn({ step: 'implement', turn: 1, opening: 'start' });
  expect(first.verdict).toMatchObject({ outcome: 'needs-guidance' });
  expect(first.verdict?.summary).toContain('MODEL_BASE_URL');
  await run.deps.blobs.put(
    guidanceKey(run.uid, { name: 'implement', turns: 1 }),
    Buffer.from('Please Greet visitors by name'),
  );
  await run.turn({ step: 'implement', turn: 2, opening: 'guidance' });
  const opening = await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 2 }, 'opening'));
  expect(Buffer.from(opening ?? '').toString()).toContain('Please Greet visitors by name');
});

it('passes on what a person says about a turn that never got its first answer', async () => {
  const run = await start();
  const models = { forOrg: async () => Promise.reject(new Error('no key')) };
  await expect(run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models })).rejects.toThrow('no key');
  await run.deps.blobs.put(guidanceKey(run.uid, { name: 'implement' }), Buffer.from('The key is right now.'));
  for (const _ of [1, 2])
    await run.turn({ step: 'implement', turn: 1, opening: 'guidance' }, { models }).catch(() => {});
  await run.turn({ step: 'implement', turn: 1, opening: 'guidance' });
  const opening = Buffer.from(
    (await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 1 }, 'opening'))) ?? '',
  ).toString();
  expect(opening).toContain('Greet visitors by name');
  expect(opening.match(/The key is right now/g)?.length).toBe(1);
});

it('tells a worker that shuts down from a person who cancels, and ends the command either way', async () => {
  const run = await scripted({ implementer: [says('Wait.', command('sleep 300'))] });
  const input = { org: 'acme', run: 'change-hello-7', step: 'implement', turn: 1 };
  const cancelled = async (reason: 'WORKER_SHUTDOWN' | 'CANCELLED'): Promise<unknown> => {
    const environment = new MockActivityEnvironment();
    const heartbeats: unknown[] = [];
    environment.on('heartbeat', (beat) => heartbeats.push(beat));
    const running = environment.run(run.activities().agentTurn, input).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 500));
    environment.cancel(reason);
    expect(heartbeats.length).toBeGreaterThan(0);
    return await running;
  };
  expect(await cancelled('WORKER_SHUTDOWN')).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
  expect(await cancelled('CANCELLED')).toBeInstanceOf(CancelledFailure);
});
