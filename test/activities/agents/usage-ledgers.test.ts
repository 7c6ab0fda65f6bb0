import { afterEach, expect, it } from 'vitest';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { modelPricesConfigMapName } from '../../../src/rules/agents/model-prices.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { addUsage, noUsage } from '../../../src/rules/agents/usage.ts';
import type { Usage } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';
import { startApi } from '../../support/start-api.ts';

let run: AgentRunHarness;
afterEach(async () => await run.close());

const namespace = 'org-acme';
const scriptedPrice = { model: 'scripted', inputPerMillion: 3, outputPerMillion: 15, currency: 'USD' };

async function start({ priced = true } = {}): Promise<void> {
  run = await startAgentRunHarness({ title: 'Greet visitors by name' });
  const data = { prices: JSON.stringify([scriptedPrice]) };
  if (priced)
    await run.deps.store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesConfigMapName }, data });
}

const sumUsages = (usages: Usage[]): Usage => usages.reduce((sum, usage) => addUsage(sum, usage), noUsage);

/** Reads the usage from the recorded responses, which all sums must equal. */
async function listResponseUsages(): Promise<Usage[]> {
  const keys = (await run.deps.blobs.list(`runs/${run.uid}/`)).filter((key) => key.endsWith('/response'));
  const blobs = await Promise.all(keys.map(async (key) => await run.deps.blobs.find(key)));
  return blobs.map((blob) => (JSON.parse(Buffer.from(blob ?? '').toString()) as { usage: Usage }).usage);
}

/** Fails right after the response is saved, like a process that is killed. */
const failAfterResponse = (blobs: Blobs): Blobs => ({
  ...blobs,
  put: async (key, bytes) => {
    await blobs.put(key, bytes);
    if (key.endsWith('/response')) throw new Error('killed');
  },
});

const startedAt = new Date();
const stopped = { now: () => startedAt };

/** Runs all turns of a step; each fails after its response and is repeated, and the last is repeated once more. */
async function runInterruptedRound(step: string): Promise<Usage[]> {
  const usages: Usage[] = [];
  for (let turn = 1; ; turn += 1) {
    const blobs = failAfterResponse(run.deps.blobs);
    await expect(run.runTurn({ step, turn, trigger: 'start' }, { ...stopped, blobs })).rejects.toThrow('killed');
    const { usage, done } = await run.runTurn({ step, turn }, stopped);
    usages.push(usage);
    if (!done) continue;
    await run.runTurn({ step, turn }, stopped);
    await run.runTurn({ step, turn: 1 }, stopped);
    return usages;
  }
}

it('sums the exact usage of a run when every turn is interrupted and repeated', async () => {
  await start();
  const outcomes = [
    await runInterruptedRound('implement'),
    await runInterruptedRound('review-code'),
    await runInterruptedRound('review-tests'),
  ];
  const turns = await listResponseUsages();
  expect(outcomes.flat()).toHaveLength(turns.length);
  const total = sumUsages(turns);
  expect(total.costMicroUsd).toBe(
    turns.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens * 3 + outputTokens * 15, 0),
  );
  expect(total.costUnknown).toBeUndefined();
  expect(sumUsages(outcomes.flat())).toEqual(total);
  const ledgers = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(totalCosts(ledgers.items)).toEqual({ turns: turns.length, usage: total });

  const days = ledgers.items.map(({ spec }) => spec.day);

  const { request } = await startApi({ store: run.deps.store });
  for (const by of ['agentRole', 'model', 'product', 'agentWorkflow', 'day']) {
    const report = (await (await request(`/v1/orgs/acme/agent-costs?groupBy=${by}`)).json()) as {
      total: object;
      items: ({ key: string } & Required<Omit<Usage, 'costUnknown'>>)[];
    };
    const shown = { ...total, turns: turns.length, cachedInputTokens: 0, seconds: 0, costUnknown: false };
    expect(report.total).toEqual(shown);
    expect(sumUsages(report.items)).toMatchObject(total);
    expect(report.items.map(({ key }) => key)).toEqual(by === 'day' ? days : expectedKeys[by]);
  }
});

const expectedKeys: Record<string, unknown> = {
  agentRole: ['code-reviewer', 'implementer', 'test-reviewer'],
  model: ['scripted'],
  product: ['hello'],
  agentWorkflow: ['change'],
};

it('marks usage without a known price', async () => {
  await start({ priced: false });
  const { usage } = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, stopped);
  expect(usage).toEqual({ inputTokens: expect.any(Number), outputTokens: expect.any(Number), costUnknown: true });
});

it('counts the time of the model and of the tools once', async () => {
  await start();
  let time = Date.parse('2026-01-01T12:00:00Z');
  // Every reading of this clock is two seconds after the one before.
  const clock = { now: () => new Date((time += 2_000)) };
  const blobs = failAfterResponse(run.deps.blobs);
  await expect(run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { ...clock, blobs })).rejects.toThrow(
    'killed',
  );
  const outcomes = [
    await run.runTurn({ step: 'implement', turn: 1 }, clock),
    await run.runTurn({ step: 'implement', turn: 1 }, clock),
    await run.runTurn({ step: 'implement', turn: 2 }, clock),
  ];
  expect(outcomes.map(({ usage }) => usage.seconds)).toEqual([4, 4, 4]);
  const { items } = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(totalCosts(items).usage.seconds).toBe(8);
});

it('records usage on the day of the response', async () => {
  await start();
  const on = (day: string) => ({ now: () => new Date(`${day}T23:59:59Z`) });
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, on('2026-01-01'));
  await run.runTurn({ step: 'implement', turn: 1 }, on('2026-01-02'));
  await run.runTurn({ step: 'implement', turn: 2 }, on('2026-01-02'));
  const { items } = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(items.map((ledger) => [ledger.spec.day, totalCosts([ledger]).turns])).toEqual([
    ['2026-01-01', 1],
    ['2026-01-02', 1],
  ]);
});

it('counts a response that a restart discards, also when the turn failed before its usage was recorded', async () => {
  await start();
  let time = Date.parse('2026-01-01T12:00:00Z');
  const clock = { now: () => new Date((time += 1_000)) };
  const turn = { step: 'implement', turn: 1 };
  const paid = [await run.runTurn({ ...turn, trigger: 'start' }, clock)];
  paid.push(await run.runTurn({ ...turn, trigger: 'restart' }, clock));
  await run.runTurn({ ...turn, trigger: 'restart' }, clock);
  const blobs = failAfterResponse(run.deps.blobs);
  await expect(run.runTurn({ step: 'implement', turn: 2 }, { ...clock, blobs })).rejects.toThrow('killed');
  const lost = (await listResponseUsages()).slice(1);
  paid.push(await run.runTurn({ step: 'implement', turn: 2, trigger: 'restart' }, clock));
  const { items } = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(totalCosts(items)).toEqual({ turns: 4, usage: sumUsages([...paid.map(({ usage }) => usage), ...lost]) });
});
