import { afterEach, expect, it } from 'vitest';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { modelPricesName } from '../../../src/rules/agents/model-prices.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { addUsage, noUsage } from '../../../src/rules/agents/usage.ts';
import type { Usage } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';
import { startApi } from '../../support/start-api.ts';

let run: AgentRun;
afterEach(async () => await run.close());

const namespace = 'org-acme';
const rehearsal = { model: 'rehearsal', inputPerMillion: 3, outputPerMillion: 15, currency: 'USD' };

async function start({ priced = true } = {}): Promise<void> {
  run = await startAgentRun({ title: 'Greet visitors by name' });
  const data = { prices: JSON.stringify([rehearsal]) };
  if (priced) await run.deps.store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesName }, data });
}

const sumOf = (usages: Usage[]): Usage => usages.reduce((sum, usage) => addUsage(sum, usage), noUsage);

/** What the answers themselves say: the record that everything else only sums. */
async function answered(): Promise<Usage[]> {
  const keys = (await run.deps.blobs.list(`runs/${run.uid}/`)).filter((key) => key.endsWith('/answer'));
  const blobs = await Promise.all(keys.map(async (key) => await run.deps.blobs.find(key)));
  return blobs.map((blob) => (JSON.parse(Buffer.from(blob ?? '').toString()) as { usage: Usage }).usage);
}

/** The process dies right after the answer is kept. */
const dyingAfterAnswer = (blobs: Blobs): Blobs => ({
  ...blobs,
  put: async (key, bytes) => {
    await blobs.put(key, bytes);
    if (key.endsWith('/answer')) throw new Error('killed');
  },
});

/** All turns of a step, each dying after its answer and then taken again, and the last taken once more. */
async function roughRound(step: string): Promise<Usage[]> {
  const usages: Usage[] = [];
  for (let turn = 1; ; turn += 1) {
    const blobs = dyingAfterAnswer(run.deps.blobs);
    await expect(run.turn({ step, turn, opening: 'start' }, { blobs })).rejects.toThrow('killed');
    const { usage, done } = await run.turn({ step, turn });
    usages.push(usage);
    if (!done) continue;
    await run.turn({ step, turn });
    await run.turn({ step, turn: 1 });
    return usages;
  }
}

it('sums to the last token over the run what its turns used, whatever died on the way', async () => {
  await start();
  const outcomes = [await roughRound('implement'), await roughRound('review-code'), await roughRound('review-tests')];
  const turns = await answered();
  expect(outcomes.flat()).toHaveLength(turns.length);
  const total = sumOf(turns);
  expect(total.costMicroUsd).toBe(
    turns.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens * 3 + outputTokens * 15, 0),
  );
  expect(total.costUnknown).toBeUndefined();
  expect(sumOf(outcomes.flat())).toEqual(total);
  const ledgers = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(totalCosts(ledgers.items)).toEqual({ turns: turns.length, usage: total });

  const days = ledgers.items.map(({ spec }) => spec.day);

  const { request } = await startApi({ store: run.deps.store });
  for (const by of ['agentRole', 'model', 'product', 'agentWorkflow', 'day']) {
    const report = (await (await request(`/v1/orgs/acme/agent-costs?by=${by}`)).json()) as {
      total: object;
      items: ({ key: string } & Required<Omit<Usage, 'costUnknown'>>)[];
    };
    const shown = { ...total, turns: turns.length, cachedInputTokens: 0, costUnknown: false };
    expect(report.total).toEqual(shown);
    expect(sumOf(report.items)).toMatchObject(total);
    expect(report.items.map(({ key }) => key)).toEqual(by === 'day' ? days : expectedKeys[by]);
  }
});

const expectedKeys: Record<string, unknown> = {
  agentRole: ['code-reviewer', 'implementer', 'test-reviewer'],
  model: ['rehearsal'],
  product: ['hello'],
  agentWorkflow: ['change'],
};

it('says which of it has no known price', async () => {
  await start({ priced: false });
  const { usage } = await run.turn({ step: 'implement', turn: 1, opening: 'start' });
  expect(usage).toEqual({ inputTokens: expect.any(Number), outputTokens: expect.any(Number), costUnknown: true });
});

it('keeps each day’s costs apart, by the time of the answer', async () => {
  await start();
  const on = (day: string) => ({ now: () => new Date(`${day}T23:59:59Z`) });
  await run.turn({ step: 'implement', turn: 1, opening: 'start' }, on('2026-01-01'));
  await run.turn({ step: 'implement', turn: 1 }, on('2026-01-02'));
  await run.turn({ step: 'implement', turn: 2 }, on('2026-01-02'));
  const { items } = await run.deps.store.list(TurnLedgerKind, { namespace });
  expect(items.map((ledger) => [ledger.spec.day, totalCosts([ledger]).turns])).toEqual([
    ['2026-01-01', 1],
    ['2026-01-02', 1],
  ]);
});
