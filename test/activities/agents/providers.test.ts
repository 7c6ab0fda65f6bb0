import { afterEach, expect, it } from 'vitest';
import { runTools, type ToolContext } from '../../../activities/agents/run-tools.ts';
import type { Checkout } from '../../../src/integrations/git/checkout.ts';
import { defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import { listStepTools } from '../../../src/rules/agents/tools.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { ChangeFixture, startChange } from '../../support/workflows/change-fixture.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import {
  replyToolCalls,
  replyTruncated,
  replyEndless,
  replyError,
  replyMessage,
  replyStalled,
  startScriptedProvider,
  buildToolCall,
} from '../../support/changes/scripted-provider.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const step: AgentStep = { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' };
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

async function startRun(): Promise<AgentRunHarness> {
  const run = await startAgentRunHarness({ title: 'Anything' });
  open.push(run);
  return run;
}

async function readResults({ deps, uid }: AgentRunHarness, turn = 1): Promise<{ text: string; isError: boolean }[]> {
  const bytes = await deps.blobs.find(turnKey({ uid, step: 'implement', turn }, 'results'));
  const part = JSON.parse(Buffer.from(bytes ?? '').toString()) as {
    messages: { content: { output: { type: string; value: string } }[] }[];
  };
  return (part.messages[0]?.content ?? []).map(({ output }) => {
    return { text: output.value, isError: output.type === 'error-text' };
  });
}

const write = buildToolCall('write_file', { path: 'new.txt', content: 'new\n' });
const done = buildToolCall('finish', { outcome: 'done', summary: 'It is done.' });

describeWithTemporal('a step with a failing model provider', () => {
  /** Runs the real workflow and the real turns; all other activities are fakes. */
  async function runStep(
    { run, models, turns = 10 }: { run: AgentRunHarness; models: AgentRunHarness['deps']['models']; turns?: number },
    test: (change: ChangeFixture, handle: Awaited<ReturnType<typeof startChange>>) => Promise<void>,
  ): Promise<void> {
    const roles = { implementer: { ...defaultRoles['implementer'], responsibilities: ['Work.'], limits: { turns } } };
    const change = new ChangeFixture({ steps: [step], roles });
    const { runAgentTurn } = run.createActivities({ models });
    const activities = {
      ...change.activities,
      runAgentTurn: async (input: Parameters<typeof runAgentTurn>[0]) =>
        await runAgentTurn({ ...input, org: 'acme', run: 'change-hello-7' }),
    };
    await withWorkflowHarness(activities, async (world) => {
      await test(change, await startChange(world));
    });
  }

  it('asks for guidance on a rejected key after one request', async () => {
    const { asked, models } = await startScriptedProvider(replyError(401));
    await runStep({ run: await startRun(), models }, async (change, handle) => {
      await eventually(() => change.phase('implement')).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.message).toContain('rejected the key (401)');
      // No activity is left that could repeat the request.
      expect((await handle.describe()).raw.pendingActivities ?? []).toEqual([]);
      expect(asked).toHaveLength(1);
    });
  });

  it('retries after the delay that the provider requests', async () => {
    const { asked, models } = await startScriptedProvider(
      replyError(429, { 'retry-after': '2' }),
      replyToolCalls(write, done),
    );
    await runStep({ run: await startRun(), models }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('Succeeded');
      expect(asked).toHaveLength(2);
      expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(1950);
    });
  });

  it('retries after errors, broken connections and invalid responses, and counts each response once', async () => {
    const invalidReply = replyMessage({ tool_calls: 'none' });
    const { asked, models } = await startScriptedProvider(
      replyError(500),
      replyTruncated,
      invalidReply,
      replyToolCalls(write),
      replyTruncated,
      replyToolCalls(done),
    );
    await runStep({ run: await startRun(), models }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('Succeeded');
      expect(asked).toHaveLength(6);
      expect(change.step('implement')).toMatchObject({ turns: 2, usage: { inputTokens: 200, outputTokens: 20 } });
    });
  });

  it('stops an endless repetition at the turn limit of the AgentRole and asks for guidance', async () => {
    const { asked, models } = await startScriptedProvider((response, question) =>
      replyToolCalls(buildToolCall('read_file', { path: 'app.js' }))(response, question),
    );
    await runStep({ run: await startRun(), models, turns: 4 }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.message).toContain('has used all of its 4 turns');
      expect(asked).toHaveLength(4);
    });
  });
});

it.each([
  ['stalls in the middle of a response', replyStalled, 300, /no usable response|is unavailable/],
  ['never starts to respond', () => {}, 300, /no usable response|is unavailable/],
  ['responds endlessly', replyEndless, 200_000, /returned no usable response/],
])('fails a turn with a retryable failure when the provider %s', async (_, reply, responseTimeoutMs, message) => {
  const run = await startRun();
  const { modelsWith } = await startScriptedProvider(reply);
  const turn = run.runTurn(
    { step: 'implement', turn: 1, trigger: 'start' },
    { models: modelsWith({ responseTimeoutMs }) },
  );
  await expect(turn).rejects.toMatchObject({ type: 'model-provider-unavailable', nonRetryable: false });
  await expect(turn).rejects.toThrow(message);
});

it('limits the requested retry delay to one hour', async () => {
  const run = await startRun();
  const { models } = await startScriptedProvider(replyError(429, { 'retry-after': '86400' }));
  await expect(run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models })).rejects.toMatchObject({
    nextRetryDelay: 3_600_000,
  });
});

it('returns errors for malformed, unknown and duplicate calls, and continues the conversation', async () => {
  const run = await startRun();
  const nonsense = replyToolCalls(
    buildToolCall('read_file', '{"path": "app.js', 'same'),
    buildToolCall('rm -rf /\n', {}, 'same'),
    buildToolCall('', {}, ''),
    buildToolCall('constructor', {}, ''),
    buildToolCall('__proto__', { path: 'x' }),
    buildToolCall('x'.repeat(10_000)),
    buildToolCall('read_file', '[]'),
    buildToolCall('read_file', '"app.js"'),
    buildToolCall('read_file', 'null'),
    buildToolCall('read_file', { path: { toString: 'app.js' } }),
    buildToolCall('read_file', { path: 'app.js' }),
  );
  const { models } = await startScriptedProvider(nonsense, replyToolCalls(write, done));
  expect(await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models })).toMatchObject({
    done: false,
  });
  const results = await readResults(run);
  expect(results.map(({ isError }) => isError)).toEqual([...Array(10).fill(true), false]);
  expect(results.every(({ text }) => text.length < 3000)).toBe(true);
  expect(await run.runTurn({ step: 'implement', turn: 2 }, { models })).toMatchObject({ done: true, changed: true });
});

it('runs twenty calls of a turn in order and truncates their results to the limit of the turn', async () => {
  const run = await startRun();
  const twenty = Array.from({ length: 20 }, (_, index) =>
    buildToolCall('run_command', { command: `echo ${index} >> order.txt; cat order.txt; seq 20000` }),
  );
  const { models } = await startScriptedProvider(replyToolCalls(...twenty), replyToolCalls(done));
  expect(await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models })).toMatchObject({
    changed: true,
  });
  const results = await readResults(run);
  expect(results).toHaveLength(20);
  expect(results[19]?.text).toContain('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n1\n2\n');
  const characters = results.reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeGreaterThan(100_000);
  expect(characters).toBeLessThan(135_000);
});

it('runs forty calls of a turn and rejects the others', async () => {
  const run = await startRun();
  const many = Array.from({ length: 300 }, () => buildToolCall('list_files'));
  const { models } = await startScriptedProvider(replyToolCalls(...many), replyToolCalls(write, done));
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models });
  const results = await readResults(run);
  expect(results.filter(({ isError }) => !isError)).toHaveLength(40);
  expect(results.at(-1)?.text).toContain('at most 40 calls');
  expect(await run.runTurn({ step: 'implement', turn: 2 }, { models })).toMatchObject({ done: true });
});

it('counts no negative tokens', async () => {
  const run = await startRun();
  const { models } = await startScriptedProvider((response) => {
    const usage = { prompt_tokens: -1_000_000, completion_tokens: 1.5, total_tokens: 0 };
    const message = { role: 'assistant', content: 'So.', tool_calls: [buildToolCall('list_files')] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: '1', usage, choices: [{ index: 0, finish_reason: 'stop', message }] }));
  });
  const { usage } = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models });
  expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 2, costUnknown: true });
});

it('ends commands at the time limit of the turn and runs no call after it', async () => {
  const run = await startRun();
  const tree = run.folder;
  const context: Omit<ToolContext, 'timeoutMs'> = {
    tools: listStepTools(step),
    checkout: async () => ({ workingTree: tree, gitDir: `${tree}/hello.git` }) as Checkout,
    sandbox: run.deps.sandbox,
    finishViolation: async () => undefined,
    signal: undefined,
  };
  const call = (id: string) => ({ id, name: 'run_command', input: { command: 'echo started; sleep 900' } });
  // On a busy machine, a command takes seconds to start.
  for (const timeoutMs of [400, 10_000, 60_000]) {
    const { results } = await runTools({ ...context, timeoutMs }, [call('1'), call('2')]);
    const [first = '', ...others] = results.map(({ text }) => text);
    expect(first).toMatch(new RegExp(`^ended after ${Math.ceil(timeoutMs / 1_000)} seconds\\n`));
    expect(others).toEqual(['Not run: earlier calls used up the time limit of the turn.']);
    if (first.includes('started')) return;
  }
  expect.unreachable('The output before the time limit is lost.');
});
