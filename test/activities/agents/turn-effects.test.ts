import { describe, expect, it, vi } from 'vitest';
import { runTurn } from '../../../activities/agents/run-turn.ts';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import type { TurnContext } from '../../../activities/agents/turn.ts';
import type { RunContext } from '../../../activities/changes/run-context.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import type { ResponsePart, ResultsPart } from '../../../src/rules/agents/transcript-parts.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { at, createWorkspace } from './workspace-fixture.ts';

const run = { namespace: 'org-acme', name: 'change-hello-7' };
const usage = { inputTokens: 5, outputTokens: 1 };
const response = { messages: [], text: 'I am done.', toolCalls: [], usage, model: 'm', at } as unknown as ResponsePart;

/** Creates a run whose model answers without a tool, in a step that may have recorded parts of its first turn. */
async function createHarness(step: Partial<AgentStep> = {}, context: Partial<RunContext> = {}) {
  const world = await createWorkspace();
  const store = openTestStore();
  const steps = [{ name: 'implement', type: 'agent' as const, role: 'implementer', mode: 'change' as const }];
  const spec = { agentWorkflow: 'change', product: 'hello', startedBy: 'ada', steps, roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata: run, spec });
  await store.updateStatus(AgentWorkflowRunKind, run, () => createRunStatus(steps, at));
  let requests = 0;
  const generate = async () => {
    requests += 1;
    return { messages: [], text: 'I am done.', toolCalls: [], usage };
  };
  const turn = world.openTurn(step, { context });
  const models = { forOrg: async () => ({ name: 'm', isPriced: true, generate }) };
  const deps = { ...turn.deps, store, models } as unknown as TurnContext['deps'];
  const record = async (results?: Partial<ResultsPart>) => {
    await saveTurnPart(world.blobs, turn.ref, { response });
    if (results)
      await saveTurnPart(world.blobs, turn.ref, { results: { messages: [], changed: false, at, ...results } });
  };
  const readStep = async () => (await store.get(AgentWorkflowRunKind, run)).status?.steps[0];
  const countRequests = () => requests;
  return { ...world, store, record, readStep, countRequests, start: async () => await runTurn({ ...turn, deps }) };
}

describe('a step that cannot push', () => {
  const fork = { targetPullRequest: { number: 8, isFork: true }, branch: 'moon' };
  const guarded = {
    targetPullRequest: { number: 8, isFork: false },
    gitRef: 'refs/heads/main',
    pushRef: 'refs/heads/service/change-hello-7',
  };
  const onConflict = { when: 'conflicted' } as unknown as Partial<AgentStep>;

  it.each([
    ['a fork', {}, fork, 'fork-not-writable', 'The branch "moon" of pull request #8 is in a fork'],
    ['a guarded branch', onConflict, guarded, 'branch-guarded', 'no agent may push to its branch "main"'],
  ])('asks a person instead of the model: %s', async (_name, step, context, reason, message) => {
    const { start, countRequests } = await createHarness(step, context);
    const outcome = await start();
    expect(outcome).toMatchObject({ done: true, changed: false, verdict: { outcome: 'needs-guidance', reason } });
    expect(outcome.verdict?.summary).toContain(message);
    expect(countRequests()).toBe(0);
  });
});

it('records the usage of a turn before its tools run, and the seconds of the tools after them', async () => {
  const first = await createHarness();
  await first.record();
  vi.spyOn(first.store, 'updateStatus').mockRejectedValueOnce(new Error('The store is away.'));
  await expect(first.start()).rejects.toThrow('The store is away.');
  expect(await first.blobs.find('u1/implement/0001/results')).toBeUndefined();

  const second = await createHarness();
  await second.record({ seconds: 7 });
  expect(await second.start()).toMatchObject({ usage: { inputTokens: 5, seconds: 7 } });
  const [ledger] = (await second.store.list(TurnLedgerKind)).items;
  expect(ledger?.status?.steps[0]?.latestTurn).toMatchObject({ turn: 1, usage: { inputTokens: 5, seconds: 7 } });
  const { updateStatus } = second.store;
  vi.spyOn(second.store, 'updateStatus')
    .mockImplementationOnce(updateStatus)
    .mockRejectedValueOnce(new Error('The store is away.'));
  await expect(second.start()).rejects.toThrow('The store is away.');
});

it('publishes evidence with the verdict of the step only', async () => {
  const evidence = { files: [], skipped: [{ name: 'large.bin', reason: 'It is too large.' }] };
  const before = await createHarness();
  await before.record({ evidence });
  expect(await before.start()).toMatchObject({ done: false });
  expect(await before.readStep()).not.toHaveProperty('skippedEvidence');
  const after = await createHarness();
  await after.record({ evidence, verdict: { outcome: 'done', summary: 'Greets.' } });
  expect(await after.start()).toMatchObject({ done: true, verdict: { outcome: 'done' } });
  expect(await after.readStep()).toMatchObject({ skippedEvidence: evidence.skipped });
});
