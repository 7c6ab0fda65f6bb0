import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runTools, type ToolContext } from '../../../activities/agents/run-tools.ts';
import { prepareWorkingTree } from '../../../activities/agents/working-tree.ts';
import type { Checkout } from '../../../src/integrations/git/checkout.ts';
import type { EgressProxy } from '../../../src/integrations/network/egress-proxy.ts';
import type { ToolCall } from '../../../src/integrations/models/models.ts';
import type { Sandbox } from '../../../src/integrations/sandbox/sandbox.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import { listStepTools } from '../../../src/rules/agents/tools.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { createWorkspace } from './workspace-fixture.ts';

const step = { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' } as AgentStep;
const finished = { outcome: 'done', summary: 'It greets.' };
let calls = 0;
const call = (name: string, input: unknown = {}): ToolCall => ({ id: String((calls += 1)), name, input });

/** A sandbox that records the commands instead of running them. */
function recordCommands(outcome: Partial<Awaited<ReturnType<Sandbox['run']>>> = {}) {
  const commands: Parameters<Sandbox['run']>[] = [];
  const sandbox: Sandbox = {
    ...createTestSandbox(),
    run: async (...args) => (commands.push(args), { exitCode: 0, output: 'out', timedOut: false, ...outcome }) as never,
  };
  return { sandbox, commands };
}

let tree: string;
let checkout: Checkout;
let context: ToolContext;
const files = { 'a.txt': 'one\ntwo\nthree', 'src/b.txt': 'two\n' };
beforeEach(async () => {
  tree = await createFolder(files);
  checkout = { workingTree: tree, gitDir: '/git', listFiles: async () => [], searchFiles: async () => '' } as never;
  context = {
    tools: listStepTools(step),
    checkout: async () => checkout,
    sandbox: recordCommands().sandbox,
    finishViolation: async () => undefined,
    signal: undefined,
  };
});

/** Replaces the plain folder with a checkout of git, which lists and searches. */
async function openCheckout(): Promise<void> {
  const { openWorkspace } = await createWorkspace(files);
  ({ checkout } = await prepareWorkingTree(openWorkspace()));
  tree = checkout.workingTree;
}

const run = async (toolCalls: ToolCall[], more: Partial<ToolContext> = {}) =>
  await runTools({ ...context, ...more }, toolCalls);
const answer = async (name: string, input: unknown = {}) => {
  const [result] = (await run([call(name, input)])).results;
  return `${result?.isError ? 'ERROR ' : ''}${result?.text}`;
};

it('reads, searches, edits, writes and deletes files', async () => {
  await openCheckout();
  expect(await answer('list_files')).toBe('a.txt\nsrc/b.txt');
  expect(await answer('list_files', { path: './src/' })).toBe('src/b.txt');
  expect(await answer('list_files', { path: '.' })).toBe('a.txt\nsrc/b.txt');
  expect(await answer('read_file', { path: 'a.txt' })).toMatch(/source="a.txt, lines 1-3 of 3">\none\ntwo\nthree\n</);
  expect(await answer('read_file', { path: 'a.txt', from: 2, to: 2 })).toMatch(/lines 2-2 of 3">\ntwo\n</);
  expect(await answer('read_file', { path: 'a.txt', from: 2, to: 9 })).toMatch(/lines 2-3 of 3">\ntwo\nthree\n</);
  expect(await answer('search', { pattern: 'two' })).toMatch(/a.txt:2:two\nsrc\/b.txt:1:two/);
  expect(await answer('search', { pattern: 'two', path: 'src' })).not.toContain('a.txt');
  expect(await answer('edit_file', { path: 'a.txt', old: 'two', new: '$& 2' })).toBe('Changed a.txt.');
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('one\n$& 2\nthree');
  expect(await answer('write_file', { path: 'new/c.txt', content: 'new' })).toBe('Wrote new/c.txt.');
  expect(await answer('list_files', { path: 'new' })).toBe('new/c.txt');
  expect(await answer('delete_file', { path: 'new/c.txt' })).toBe('Deleted new/c.txt.');
  expect(existsSync(join(tree, 'new/c.txt'))).toBe(false);
});

it('gives the agent the error of a git that fails on its files, and throws the reason of an aborted signal', async () => {
  const fail = async () => await Promise.reject(new Error('git ls-files failed: fatal: Out of memory'));
  checkout = { ...checkout, listFiles: fail, searchFiles: fail };
  expect(await answer('list_files')).toBe('ERROR The listing failed: git ls-files failed: fatal: Out of memory');
  expect(await answer('search', { pattern: 'x' })).toMatch(/^ERROR The search failed: .*Out of memory$/);
  const stopping = new AbortController();
  const stop = async () => (stopping.abort(new Error('the worker stops')), await fail());
  checkout = { ...checkout, searchFiles: stop };
  const { signal } = stopping;
  await expect(run([call('search', { pattern: 'x' })], { signal })).rejects.toThrow('the worker stops');
});

it.each([
  ['list_files', { path: '../..' }, 'ERROR "../.." is outside the checkout.'],
  ['list_files', { path: '/etc' }, 'ERROR "/etc" is outside the checkout.'],
  ['search', { pattern: 'x', path: 'src/../..' }, 'ERROR "src/../.." is outside the checkout.'],
  ['list_files', { path: 'gone' }, 'No files found.'],
  ['search', { pattern: 'nothing' }, 'Nothing matches.'],
  ['edit_file', { path: 'a.txt', old: 'four', new: '4' }, 'ERROR "old" is not in a.txt: read the file'],
  ['edit_file', { path: 'a.txt', old: 'e', new: '4' }, 'ERROR "old" is in a.txt 3 times: make it longer.'],
  ['read_file', { path: 'gone.txt' }, 'ERROR The file "gone.txt" does not exist'],
  ['read_file', {}, 'ERROR The input of read_file is invalid:\n'],
  ['launch_rocket', {}, 'ERROR This step has no tool "launch_rocket". Its tools are list_files, '],
])('answers %s %j', async (name, input, expected) => {
  expect((await answer(name, input)).slice(0, expected.length)).toBe(expected);
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree');
});

it('returns a search that git refuses, and a call that the model has garbled, as their errors', async () => {
  await openCheckout();
  expect(await answer('search', { pattern: '(' })).toMatch(/^ERROR The search failed: /);
  const garbled = { ...call('list_files'), error: 'Unexpected end of JSON.' };
  expect((await run([garbled])).results[0]?.text).toBe('The call could not be parsed: Unexpected end of JSON.');
});

it('answers every call in order, and runs none after the step is finished', async () => {
  const { results, ending } = await run([
    call('write_file', { path: 'c.txt', content: 'c' }),
    call('finish', finished),
    call('write_file', { path: 'd.txt', content: 'd' }),
  ]);
  expect(results.map(({ text, isError }) => [text, isError])).toEqual([
    ['Wrote c.txt.', false],
    ['The step is finished.', false],
    ['Not run: an earlier call finished the step.', true],
  ]);
  expect(ending).toEqual({ verdict: finished, draft: undefined });
  expect(existsSync(join(tree, 'd.txt'))).toBe(false);
});

it('continues after a finish that is refused', async () => {
  const finishViolation = async () => 'Nothing is changed yet.';
  const { results, ending } = await run([call('finish', finished), call('list_files')], { finishViolation });
  expect(results.map(({ isError }) => isError)).toEqual([true, false]);
  expect(results[0]?.text).toBe('Nothing is changed yet.');
  expect(ending).toBeUndefined();
});

it('runs at most 40 calls, which share the space for results', async () => {
  writeFileSync(join(tree, 'long.txt'), `start${'x'.repeat(60_000)}end`);
  const read = () => call('read_file', { path: 'long.txt' });
  const { results } = await run(Array.from({ length: 41 }, read));
  expect(results.map(({ isError }) => isError)).toEqual([...Array.from({ length: 40 }, () => false), true]);
  expect(results[40]?.text).toBe('Not run: a turn has at most 40 calls.');
  expect(results[0]?.text.length).toBeLessThan(3_000);
  const [alone] = (await run([read()])).results;
  expect(alone?.text.length).toBeLessThan(30_100);
  expect(alone?.text).toMatch(
    /^<untrusted-content source="long.txt.*\nstartx+\n\[… \d+ characters omitted …\]\nx+end\n/,
  );
});

it('runs nothing once the time of the turn is used up, and gives a command the rest of it', async () => {
  const { sandbox, commands } = recordCommands();
  const { results } = await run([call('run_command', { command: 'make' })], { sandbox, timeoutMs: 0 });
  expect(results[0]?.text).toBe('Not run: earlier calls used up the time limit of the turn.');
  await run([call('run_command', { command: 'make' })], { sandbox, timeoutMs: 60_000 });
  await run([call('run_command', { command: 'make' })], { sandbox });
  const [rest, most] = commands.map(([, { timeoutMs }]) => timeoutMs);
  expect(rest).toBeGreaterThan(1_000);
  expect(rest).toBeLessThanOrEqual(60_000);
  expect(most).toBe(5 * 60_000);
  expect(commands.map(([, { outputBytesMax }]) => outputBytesMax)).toEqual([30_000, 30_000]);
});

it('gives a command 5 minutes and a turn 20 by default', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await openCheckout();
  const real = createTestSandbox();
  const given: number[] = [];
  /** Runs each command, and lets the time pass that the command may take. */
  const sandbox: Sandbox = {
    ...real,
    run: async (request, options) => {
      given.push(options.timeoutMs);
      vi.advanceTimersByTime(options.timeoutMs);
      return await real.run(request, options);
    },
  };
  const { results } = await run(
    Array.from({ length: 5 }, () => call('run_command', { command: 'echo made' })),
    { sandbox },
  );
  expect(given).toEqual(Array.from({ length: 4 }, () => 5 * 60_000));
  expect(results.map(({ text }) => text.includes('made'))).toEqual([true, true, true, true, false]);
  expect(results[4]?.text).toBe('Not run: earlier calls used up the time limit of the turn.');
});

it('stops between two calls when it is cancelled, and passes on what is not the fault of the model', async () => {
  const controller = new AbortController();
  const { sandbox, commands } = recordCommands();
  const cancels: Sandbox = {
    ...sandbox,
    run: async (...args) => (controller.abort(new Error('cancelled')), await sandbox.run(...args)),
  };
  const commandCall = () => call('run_command', { command: 'make' });
  const { signal } = controller;
  await expect(run([commandCall(), commandCall()], { sandbox: cancels, signal })).rejects.toThrow('cancelled');
  expect(commands).toHaveLength(1);
  const broken = { ...sandbox, run: async () => await Promise.reject(new Error('No sandbox.')) };
  await expect(run([commandCall()], { sandbox: broken })).rejects.toThrow('No sandbox.');
});

describe('run_command', () => {
  const command = call('run_command', { command: 'make test' });

  it('runs in the checkout, where it can read but not change the commits', async () => {
    const { sandbox, commands } = recordCommands({ exitCode: 2, output: 'failed' });
    const { results } = await run([command], { sandbox });
    expect(results[0]?.text).toMatch(/^status 2\n<untrusted-content source="output">\nfailed\n/);
    expect(commands[0]?.[0]).toEqual({
      argv: ['/bin/sh', '-c', 'make test'],
      workspace: { path: tree, writable: true },
      mounts: [{ host: checkout.gitDir, inside: '/workspace/.git', writable: false }],
    });
  });

  it('says when it was ended', async () => {
    const { sandbox } = recordCommands({ timedOut: true });
    const { results } = await run([command], { sandbox, timeoutMs: 2_000 });
    expect(results[0]?.text).toMatch(/^ended after 2 seconds\n/);
  });

  it('mounts over no link, and over a file that is in the way', async () => {
    const git = join(tree, '.git');
    symlinkSync(join(tree, 'src'), git);
    await run([command]);
    expect(readFileSync(join(tree, 'src/b.txt'), 'utf8')).toBe('two\n');
    const { sandbox, commands } = recordCommands();
    await run([command, command], { sandbox });
    expect(commands).toHaveLength(2);
  });

  it('opens a network for each command, and closes it also when the command fails', async () => {
    const events: string[] = [];
    const network = { socketPath: '/proxy.sock', close: async () => void events.push('closed') } as EgressProxy;
    const openNetwork = async () => (events.push('opened'), network);
    const { sandbox, commands } = recordCommands();
    await run([command], { sandbox, openNetwork });
    expect(commands[0]?.[0].network).toEqual({ proxySocket: '/proxy.sock' });
    const broken = { ...sandbox, run: async () => await Promise.reject(new Error('No sandbox.')) };
    await expect(run([command], { sandbox: broken, openNetwork })).rejects.toThrow('No sandbox.');
    expect(events).toEqual(['opened', 'closed', 'opened', 'closed']);
  });
});
