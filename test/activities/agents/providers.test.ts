import { afterEach, expect, it } from 'vitest';
import { createActivities } from '../../../activities/index.ts';
import { runTools, type ToolContext } from '../../../activities/agents/run-tools.ts';
import type { Checkout } from '../../../src/integrations/git/checkout.ts';
import { catalogRoles } from '../../../src/rules/agents/catalog.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import { toolsOf } from '../../../src/rules/agents/tools.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { AChange, startChange } from '../../support/a-change.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { calls, cuts, floods, refuses, says, stalls, startProvider, toolCall } from '../../support/provider.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const step: AgentStep = { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' };
const open: AgentRun[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

async function aRun(): Promise<AgentRun> {
  const run = await startAgentRun({ title: 'Anything' });
  open.push(run);
  return run;
}

async function resultsOf({ deps, uid }: AgentRun, turn = 1): Promise<{ text: string; isError: boolean }[]> {
  const bytes = await deps.blobs.find(turnKey({ uid, step: 'implement', turn }, 'results'));
  const part = JSON.parse(Buffer.from(bytes ?? '').toString()) as {
    messages: { content: { output: { type: string; value: string } }[] }[];
  };
  return (part.messages[0]?.content ?? []).map(({ output }) => {
    return { text: output.value, isError: output.type === 'error-text' };
  });
}

const write = toolCall('write_file', { path: 'new.txt', content: 'new\n' });
const done = toolCall('finish', { outcome: 'done', summary: 'It is done.' });

describeWithTemporal('a step whose provider misbehaves', () => {
  /** The real workflow and the real turns; the rest of the world is made up. */
  async function goesOn(
    { run, models, turns = 10 }: { run: AgentRun; models: AgentRun['deps']['models']; turns?: number },
    test: (change: AChange) => Promise<void>,
  ): Promise<void> {
    const roles = { implementer: { ...catalogRoles['implementer'], responsibilities: ['Work.'], limits: { turns } } };
    const change = new AChange({ steps: [step], roles });
    const { agentTurn } = run.activities({ models }) as Pick<ReturnType<typeof createActivities>, 'agentTurn'>;
    const activities = {
      ...change.activities,
      agentTurn: async (input: Parameters<typeof agentTurn>[0]) =>
        await agentTurn({ ...input, org: 'acme', run: 'change-hello-7' }),
    };
    await onTemporal(activities, async (world) => {
      await startChange(world);
      await test(change);
    });
  }

  it('asks a person about a refused key, and asks the provider once', async () => {
    const { asked, models } = await startProvider(refuses(401));
    await goesOn({ run: await aRun(), models }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.what).toContain('refused the key (401)');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(asked).toHaveLength(1);
    });
  });

  it('comes back when the provider said, and not before', async () => {
    const { asked, models } = await startProvider(refuses(429, { 'retry-after': '2' }), calls(write, done));
    await goesOn({ run: await aRun(), models }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('Succeeded');
      expect(asked).toHaveLength(2);
      expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(1950);
    });
  });

  it('outlasts faults, cut connections and rubbish, and pays what was answered once', async () => {
    const rubbish = says({ tool_calls: 'none' });
    const { asked, models } = await startProvider(refuses(500), cuts, rubbish, calls(write), cuts, calls(done));
    await goesOn({ run: await aRun(), models }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('Succeeded');
      expect(asked).toHaveLength(6);
      expect(change.step('implement')).toMatchObject({ turns: 2, usage: { inputTokens: 200, outputTokens: 20 } });
    });
  });

  it('stops one that repeats itself for ever at the limit of its AgentRole, and asks a person', async () => {
    const { asked, models } = await startProvider((response, question) =>
      calls(toolCall('read_file', { path: 'app.js' }))(response, question),
    );
    await goesOn({ run: await aRun(), models, turns: 4 }, async (change) => {
      await eventually(() => change.phase('implement')).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.what).toContain('has taken all of its 4 turns');
      expect(asked).toHaveLength(4);
    });
  });
});

it.each([
  ['stalls in the middle of an answer', stalls, 300, /no usable answer|did not answer/],
  ['never begins to answer', () => {}, 300, /no usable answer|did not answer/],
  ['answers without end', floods, 20_000, /more than \d+ bytes/],
])('gives a turn up for later when the provider %s', async (_, reply, answerTimeoutMs, said) => {
  const run = await aRun();
  const { modelsWith } = await startProvider(reply);
  const turn = run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models: modelsWith({ answerTimeoutMs }) });
  await expect(turn).rejects.toMatchObject({ type: 'unavailable', nonRetryable: false });
  await expect(turn).rejects.toThrow(said);
});

it('waits an hour at most for a provider that says tomorrow', async () => {
  const run = await aRun();
  const { models } = await startProvider(refuses(429, { 'retry-after': '86400' }));
  await expect(run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models })).rejects.toMatchObject({
    nextRetryDelay: 3_600_000,
  });
});

it('answers broken, invented and doubled calls with what is wrong, and can go on with the conversation', async () => {
  const run = await aRun();
  const nonsense = calls(
    toolCall('read_file', '{"path": "app.js', 'same'),
    toolCall('rm -rf /\n', {}, 'same'),
    toolCall('', {}, ''),
    toolCall('constructor', {}, ''),
    toolCall('__proto__', { path: 'x' }),
    toolCall('x'.repeat(10_000)),
    toolCall('read_file', '[]'),
    toolCall('read_file', '"app.js"'),
    toolCall('read_file', 'null'),
    toolCall('read_file', { path: { toString: 'app.js' } }),
    toolCall('read_file', { path: 'app.js' }),
  );
  const { models } = await startProvider(nonsense, calls(write, done));
  expect(await run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models })).toMatchObject({ done: false });
  const results = await resultsOf(run);
  expect(results.map(({ isError }) => isError)).toEqual([...Array(10).fill(true), false]);
  expect(results.every(({ text }) => text.length < 3000)).toBe(true);
  expect(await run.turn({ step: 'implement', turn: 2 }, { models })).toMatchObject({ done: true, changed: true });
});

it('runs twenty calls at once in their order, with room for all results', async () => {
  const run = await aRun();
  const twenty = Array.from({ length: 20 }, (_, index) =>
    toolCall('run_command', { command: `echo ${index} >> order.txt; cat order.txt; seq 20000` }),
  );
  const { models } = await startProvider(calls(...twenty), calls(done));
  expect(await run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models })).toMatchObject({ changed: true });
  const results = await resultsOf(run);
  expect(results).toHaveLength(20);
  expect(results[19]?.text).toContain('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n1\n2\n');
  const characters = results.reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeGreaterThan(100_000);
  expect(characters).toBeLessThan(135_000);
});

it('runs forty calls of a turn and says so of the rest', async () => {
  const run = await aRun();
  const many = Array.from({ length: 300 }, () => toolCall('list_files'));
  const { models } = await startProvider(calls(...many), calls(write, done));
  await run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models });
  const results = await resultsOf(run);
  expect(results.filter(({ isError }) => !isError)).toHaveLength(40);
  expect(results.at(-1)?.text).toContain('at most 40 calls');
  expect(await run.turn({ step: 'implement', turn: 2 }, { models })).toMatchObject({ done: true });
});

it('counts no tokens below nothing, whatever the provider claims', async () => {
  const run = await aRun();
  const { models } = await startProvider((response) => {
    const usage = { prompt_tokens: -1_000_000, completion_tokens: 1.5, total_tokens: 0 };
    const message = { role: 'assistant', content: 'So.', tool_calls: [toolCall('list_files')] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: '1', usage, choices: [{ index: 0, finish_reason: 'stop', message }] }));
  });
  const { usage } = await run.turn({ step: 'implement', turn: 1, opening: 'start' }, { models });
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 2, costUnknown: true });
});

it('ends commands with the time of the turn, and runs no call after it', async () => {
  const run = await aRun();
  const tree = run.folder;
  const context: ToolContext = {
    tools: toolsOf(step),
    checkout: async () => ({ tree, gitDir: `${tree}/hello.git` }) as Checkout,
    sandbox: run.deps.sandbox,
    objection: async () => undefined,
    signal: undefined,
    timeMs: 400,
  };
  const call = (id: string) => ({ id, name: 'run_command', input: { command: 'echo begun; sleep 30' } });
  const { results } = await runTools(context, [call('1'), call('2')]);
  expect(results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^ended after 1 seconds\n[^]*begun/),
    'Not run: the calls before it took all the time of this turn.',
  ]);
});
