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
  runCommand as command,
  turn as says,
  write,
  type Scenario,
  type ScriptedTurn,
} from '../../../src/emulators/model/scenario.ts';
import { turnKey, type TurnPart } from '../../../src/rules/agents/transcript-keys.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const branch = 'service/change-hello-7';
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

async function start(title = 'Greet visitors by name', scenarios?: Scenario[]): Promise<AgentRunHarness> {
  const run = await startAgentRunHarness({ title }, scenarios);
  open.push(run);
  return run;
}

/** Starts a run whose model follows the given script. */
async function scripted(roles: Record<string, ScriptedTurn[]>): Promise<AgentRunHarness> {
  return await start('Anything', [{ name: 'scripted', matches: () => true, roles }]);
}

/** Fails right before or right after a part of the turn is saved, like a process that is killed. */
function failAt(blobs: Blobs, part: TurnPart, when: 'before' | 'after'): Blobs {
  return {
    ...blobs,
    put: async (key, bytes) => {
      const isLast = key.endsWith(`/${part}`);
      if (!isLast || when === 'after') await blobs.put(key, bytes);
      if (isLast) throw new Error('killed');
    },
  };
}

async function readResults({ deps, uid }: AgentRunHarness, step: string, turn: number): Promise<string> {
  const bytes = await deps.blobs.find(turnKey({ uid, step, turn }, 'results'));
  return JSON.stringify(JSON.parse(Buffer.from(bytes ?? '{}').toString()));
}

const listTurnTrailers = (run: AgentRunHarness): string[] =>
  run.git('log', '--format=%(trailers:key=Service-Turn,valueonly)', `main..${branch}`).split('\n').filter(Boolean);

it('implements an issue over several turns and pushes each turn that changes files', async () => {
  const run = await start();
  expect(await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' })).toMatchObject({
    done: false,
    changed: false,
  });
  expect(run.git('branch', '--list', branch)).toBe('');
  const { outcome, turns } = await run.runRound('implement', 1);
  expect(turns).toBe(5);
  expect(outcome).toMatchObject({ done: true, verdict: { outcome: 'done' }, headSha: run.git('rev-parse', branch) });
  expect(outcome.usage.inputTokens).toBeGreaterThan(1000);
  expect(listTurnTrailers(run)).toEqual(['implement/3', 'implement/2']);
  expect(run.git('show', `${branch}:greeting.js`)).toContain('Hello, ${name');
  expect(run.git('log', '-1', '--format=%an <%ae>', branch)).toBe('Delivery Service <service@localhost>');
  expect((await run.runRound('review-code', 1)).outcome.verdict?.outcome).toBe('approved');
  expect((await run.runRound('review-tests', 1)).outcome.verdict?.outcome).toBe('approved');
  expect(await readResults(run, 'review-tests', 1)).toContain('greets by the name that is given');
});

it('gives review comments to the implementer and the new diff to the reviewer', async () => {
  const run = await start('Show the time on the page');
  const first = await run.runRound('implement', 1);
  const review = await run.runRound('review-code', 1);
  expect(review.outcome.verdict?.outcome).toBe('changes-requested');
  const second = await run.runRound('implement', first.turns + 1, 'changes-requested');
  const prompt = await run.deps.blobs.find(
    turnKey({ uid: run.uid, step: 'implement', turn: first.turns + 1 }, 'prompt'),
  );
  expect(Buffer.from(prompt ?? '').toString()).toContain('without escapeHtml');
  expect(second.outcome.verdict?.outcome).toBe('done');
  expect((await run.runRound('review-code', review.turns + 1)).outcome.verdict?.outcome).toBe('approved');
  expect((await run.runRound('review-tests', 1)).outcome.verdict?.outcome).toBe('approved');
});

it.each([
  'Greet visitors by name',
  'Show the time on the page',
  'Drop the start script',
  'Answer 500 on the front page',
])('has a scripted scenario that works on the sample Product: %s', async (title) => {
  const run = await start(title);
  const { turns } = await run.runRound('implement', 1);
  for (let turn = 1; turn <= turns; turn += 1)
    expect(await readResults(run, 'implement', turn)).not.toContain('error-text');
});

it('requests a response once when the process dies before its tools have run', async () => {
  const run = await start();
  await run.runTurn({ step: 'implement', turn: 1 });
  const blobs = failAt(run.deps.blobs, 'results', 'before');
  await expect(run.runTurn({ step: 'implement', turn: 2 }, { blobs })).rejects.toThrow('killed');
  const requestCount = run.modelRequests.length;
  expect(await run.runTurn({ step: 'implement', turn: 2 })).toMatchObject({ changed: true });
  expect(run.modelRequests.length).toBe(requestCount);
  expect(listTurnTrailers(run)).toEqual(['implement/2']);
});

it('pushes a turn from another host when the first host is lost with its disk', async () => {
  const run = await start();
  await run.runTurn({ step: 'implement', turn: 1 });
  const blobs = failAt(run.deps.blobs, 'results', 'after');
  await expect(run.runTurn({ step: 'implement', turn: 2 }, { blobs })).rejects.toThrow('killed');
  expect(run.git('branch', '--list', branch)).toBe('');
  const checkoutsDir = join(run.folder, 'other-host');
  const result = await run.runTurn({ step: 'implement', turn: 2 }, { checkoutsDir });
  expect(result).toMatchObject({ changed: true, headSha: run.git('rev-parse', branch) });
  expect(run.git('show', `${branch}:greeting.js`)).toContain('Hello, ${name');
  expect(run.modelRequests.length).toBe(2);
});

it('returns the same outcome and makes no second commit when a turn is repeated', async () => {
  const run = await start();
  await run.runTurn({ step: 'implement', turn: 1 });
  const once = await run.runTurn({ step: 'implement', turn: 2 });
  expect(await run.runTurn({ step: 'implement', turn: 2 })).toEqual(once);
  rmSync(run.deps.checkoutsDir, { recursive: true });
  expect(await run.runTurn({ step: 'implement', turn: 2 })).toEqual(once);
  expect(listTurnTrailers(run)).toEqual(['implement/2']);
  expect(run.modelRequests.length).toBe(2);
});

it('recreates a lost or broken checkout at the next turn', async () => {
  const run = await start();
  await run.runTurn({ step: 'implement', turn: 1 });
  await run.runTurn({ step: 'implement', turn: 2 });
  const git = join(run.deps.checkoutsDir, 'acme', 'change-hello-7', 'implement', 'git');
  writeFileSync(join(git, 'HEAD'), 'rubbish');
  writeFileSync(join(git, 'index.lock'), '');
  await run.runTurn({ step: 'implement', turn: 3 });
  rmSync(run.deps.checkoutsDir, { recursive: true });
  await run.runTurn({ step: 'implement', turn: 4 });
  expect(await readResults(run, 'implement', 4)).toContain('a name cannot bring markup');
});

it('keeps commits that a person pushes to the branch between two turns', async () => {
  const run = await start();
  await run.runTurn({ step: 'implement', turn: 1 });
  await run.runTurn({ step: 'implement', turn: 2 });
  await run.pushAsUser(branch, (folder) => writeFileSync(join(folder, 'NOTE.md'), 'mine'));
  await run.runTurn({ step: 'implement', turn: 3 });
  expect(run.git('show', `${branch}:NOTE.md`)).toBe('mine');
  expect(listTurnTrailers(run)).toEqual(['implement/3', 'implement/2']);
});

it('reminds a model that calls no tool once, and then asks for guidance', async () => {
  const run = await scripted({ implementer: [says('I wonder.'), says('Still wondering.')] });
  expect(await run.runTurn({ step: 'implement', turn: 1 })).toMatchObject({ done: false, changed: false });
  const second = await run.runTurn({ step: 'implement', turn: 2 });
  expect(second).toMatchObject({ done: true, verdict: { outcome: 'needs-guidance' } });
  expect(second.verdict?.summary).toContain('Still wondering');
});

it('returns the error of an invalid call to the model and continues', async () => {
  const nonsense = [
    call('launch_rocket', { to: 'moon' }),
    call('read_file', { file: 'x' }),
    call('finish', { outcome: 'approved', summary: 'x' }),
    call('read_file', { path: 'greeting.js' }),
  ];
  const run = await scripted({ implementer: [says('Nonsense.', ...nonsense)] });
  expect(await run.runTurn({ step: 'implement', turn: 1 })).toMatchObject({ done: false, changed: false });
  const results = await readResults(run, 'implement', 1);
  expect(results).toContain('This step has no tool \\"launch_rocket\\"');
  expect(results).toContain('The input of read_file is invalid');
  expect(results).toContain('The input of finish is invalid');
  expect(results).toContain('Hello, world');
});

it('rejects the outcome done when no file has changed', async () => {
  const run = await scripted({ implementer: [finish('done', 'Nothing to do.')] });
  expect(await run.runTurn({ step: 'implement', turn: 1 })).toMatchObject({ done: false });
  expect(await readResults(run, 'implement', 1)).toContain('Nothing is changed yet');
});

it('gives reviewers no write tools and discards the files that their commands write', async () => {
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
  await run.runTurn({ step: 'implement', turn: 1 });
  const head = run.git('rev-parse', branch);
  const turn = await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' });
  expect(turn).toMatchObject({ done: false, changed: false });
  expect((await readResults(run, 'review-code', 1)).match(/This step has no tool/g)?.length).toBe(3);
  await run.runTurn({ step: 'review-code', turn: 2 });
  expect(await readResults(run, 'review-code', 2)).toContain('Hello, world');
  expect(await readResults(run, 'review-code', 2)).toContain('Read-only file system');
  expect(run.git('rev-parse', branch)).toBe(head);
});

it('keeps file tools inside the checkout for every path and link', async () => {
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
  for (const turn of [1, 2, 3]) await run.runTurn({ step: 'implement', turn });
  const errors = [
    await readResults(run, 'implement', 1),
    await readResults(run, 'implement', 2),
    await readResults(run, 'implement', 3),
  ].map((text) => text.match(/"error-text"/g)?.length);
  expect(errors).toEqual([reads.length, 5, 3]);
  expect(await readResults(run, 'implement', 1)).not.toContain('root:');
});

it('runs no program of a nested repository and commits no .git folder of it', async () => {
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
  await run.runTurn({ step: 'implement', turn: 1 });
  expect(run.git('ls-tree', '-r', '--name-only', branch)).toContain('evil/file');
  await run.runTurn({ step: 'implement', turn: 2 });
  expect(existsSync(marker)).toBe(false);
  expect(run.git('ls-tree', '-r', branch)).not.toContain('160000');
});

it('skips files that are too large or evidence, and reports the skipped ones', async () => {
  const large =
    'head -c 6000000 /dev/zero > large.bin; mkdir -p .service/artifacts; echo seen > .service/artifacts/x.txt; echo small > small.txt';
  const run = await scripted({ implementer: [says('Write.', command(large))] });
  await run.runTurn({ step: 'implement', turn: 1 });
  expect(await readResults(run, 'implement', 1)).toContain('too large or cannot be committed: large.bin');
  expect(run.git('diff', '--name-only', 'main', branch)).toBe('small.txt');
});

it('keeps the code host credentials out of the checkout and the sandbox', async () => {
  const run = await scripted({
    implementer: [says('Search.', command('env; grep -r c2VjcmV0 /workspace /proc/1/environ; cat .git/config'))],
  });
  await run.runTurn({ step: 'implement', turn: 1 });
  expect(await readResults(run, 'implement', 1)).not.toContain('c2VjcmV0OnNlY3JldA');
});

it('asks for guidance on an issue without a scenario, and continues with the guidance', async () => {
  const run = await start('Something else entirely');
  const first = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  expect(first.verdict).toMatchObject({ outcome: 'needs-guidance' });
  expect(first.verdict?.summary).toContain('MODEL_BASE_URL');
  await run.guide('implement', 2, 'Please Greet visitors by name');
  await run.runTurn({ step: 'implement', turn: 2, trigger: 'guidance' });
  const prompt = await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 2 }, 'prompt'));
  expect(Buffer.from(prompt ?? '').toString()).toContain('Please Greet visitors by name');
});

it('adds guidance to the prompt of a turn that never received a response', async () => {
  const run = await start();
  const models = { forOrg: async () => Promise.reject(new Error('no key')) };
  await expect(run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models })).rejects.toThrow('no key');
  await run.guide('implement', 1, 'The key is right now.');
  for (const _ of [1, 2])
    await run.runTurn({ step: 'implement', turn: 1, trigger: 'guidance' }, { models }).catch(() => {});
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'guidance' });
  const prompt = Buffer.from(
    (await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 1 }, 'prompt'))) ?? '',
  ).toString();
  expect(prompt).toContain('Greet visitors by name');
  expect(prompt.match(/The key is right now/g)?.length).toBe(1);
});

it('adds guidance to a turn that failed after its response, for the next request', async () => {
  const run = await start();
  const first = { step: 'implement', turn: 1 };
  const blobs = failAt(run.deps.blobs, 'results', 'before');
  await expect(run.runTurn({ ...first, trigger: 'start' }, { blobs })).rejects.toThrow('killed');
  await run.guide('implement', 1, 'There is a sandbox now.');
  await run.runTurn({ ...first, trigger: 'guidance' });
  expect(run.modelRequests).toHaveLength(1);
  const prompt = await run.deps.blobs.find(turnKey({ uid: run.uid, step: 'implement', turn: 1 }, 'prompt'));
  expect(Buffer.from(prompt ?? '').toString()).toContain('There is a sandbox now.');
});

it('distinguishes a worker shutdown from a cancellation, and ends the command in both cases', async () => {
  const run = await scripted({ implementer: [says('Wait.', command('sleep 300'))] });
  const input = { org: 'acme', run: 'change-hello-7', step: 'implement', turn: 1 };
  const cancelWith = async (reason: 'WORKER_SHUTDOWN' | 'CANCELLED'): Promise<unknown> => {
    const environment = new MockActivityEnvironment();
    const heartbeats: unknown[] = [];
    environment.on('heartbeat', (details) => heartbeats.push(details));
    const running = environment.run(run.createActivities().runAgentTurn, input).catch((error: unknown) => error);
    await expect.poll(() => heartbeats.length).toBeGreaterThan(0);
    environment.cancel(reason);
    return await running;
  };
  expect(await cancelWith('WORKER_SHUTDOWN')).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
  expect(await cancelWith('CANCELLED')).toBeInstanceOf(CancelledFailure);
});
