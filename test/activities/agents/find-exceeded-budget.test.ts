import { afterEach, expect, it } from 'vitest';
import { type OpenNetwork, startEgressProxy } from '../../../src/integrations/network/egress-proxy.ts';
import type { Sandbox, SandboxRequest } from '../../../src/integrations/sandbox/sandbox.ts';
import {
  call,
  runCommand as command,
  turn as says,
  write,
  type ScriptedTurn,
} from '../../../src/emulators/model/scenario.ts';
import { AgentWorkflowKind, type AgentRoleSpec } from '../../../src/rules/agents/kinds.ts';
import { modelPricesConfigMapName } from '../../../src/rules/agents/model-prices.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { type AgentLimits, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

let run: AgentRunHarness;
afterEach(async () => await run.close());

const namespace = 'org-acme';
const look = says('I look.', call('list_files'));

type Given = {
  implementer?: ScriptedTurn[];
  reviewers?: ScriptedTurn[];
  role?: Partial<AgentRoleSpec>;
  org?: AgentLimits;
  costUsdPerRun?: number;
  priced?: boolean;
};

/** A token costs a dollar or more, so that any turn exceeds any limit. */
const expensivePrice = { model: 'scripted', inputPerMillion: 100_000, outputPerMillion: 100_000, currency: 'USD' };

async function start({
  implementer = [look, look],
  reviewers = [look],
  role,
  org,
  costUsdPerRun,
  priced = true,
}: Given) {
  const roles = { implementer, 'code-reviewer': reviewers, 'test-reviewer': reviewers };
  run = await startAgentRunHarness({ title: 'Anything' }, [{ name: 'scripted', matches: () => true, roles }]);
  const { store } = run.deps;
  const prices = { prices: JSON.stringify([expensivePrice]) };
  if (priced)
    await store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesConfigMapName }, data: prices });
  const found = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-hello-7' });
  const changed = { ...found.spec.roles, implementer: { responsibilities: ['Do it.'], ...role } };
  const limits = costUsdPerRun === undefined ? {} : { limits: { costUsdPerRun } };
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, roles: changed, ...limits } });
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', ...(org && { agents: org }) },
  });
}

async function readPart(step: string, turn: number, part: 'results' | 'prompt' = 'results'): Promise<string> {
  return Buffer.from((await run.deps.blobs.find(turnKey({ uid: run.uid, step, turn }, part))) ?? '').toString();
}

const runGuidedTurn = async (step: string, turn: number) => await run.runTurn({ step, turn, trigger: 'guidance' });

it('stops a run at its budget and continues when the budget is raised', async () => {
  await start({ costUsdPerRun: 1 });
  const { store } = run.deps;
  expect(await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' })).toMatchObject({ done: false });
  const asked = run.modelRequests.length;
  const stopped = await run.runTurn({ step: 'implement', turn: 2 });
  expect(stopped).toEqual({
    done: true,
    verdict: {
      outcome: 'needs-guidance',
      reason: 'run-budget-exhausted',
      summary: expect.stringContaining('the cost limit per run'),
    },
    usage: { inputTokens: 0, outputTokens: 0 },
    changed: false,
  });
  expect(run.modelRequests.length).toBe(asked);

  const spec = { enabled: true, triggers: [], steps: [{ name: 'approve', type: 'human' as const }] };
  const metadata = { namespace, name: 'change' };
  await store.create(AgentWorkflowKind, { metadata, spec: { ...spec, limits: { costUsdPerRun: 1_000_000 } } });
  expect(await runGuidedTurn('implement', 3)).toMatchObject({ done: false });
  expect(run.modelRequests.at(-1)).toContain('I look');
});

it('applies the budget of the run to its parallel steps together', async () => {
  await start({ costUsdPerRun: 1 });
  await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' });
  const other = await run.runTurn({ step: 'review-tests', turn: 1, trigger: 'start' });
  expect(other.verdict).toMatchObject({ outcome: 'needs-guidance' });
});

it('stops all agents of an org at its daily budget until the next day', async () => {
  await start({ org: { costUsdPerDay: 1 } });
  const on = (time: string) => ({ now: () => new Date(time) });
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, on('2026-01-01T10:00:00Z'));
  const stopped = await run.runTurn({ step: 'implement', turn: 2 }, on('2026-01-01T23:59:59Z'));
  expect(stopped.verdict?.summary).toContain('the cost limit per day');
  expect(await run.runTurn({ step: 'implement', turn: 2 }, on('2026-01-02T00:00:00Z'))).toMatchObject({ done: false });
});

it('stops a step at its time limit and restarts the time after guidance', async () => {
  await start({ role: { limits: { seconds: 60 } } });
  const at = (second: number) => ({ now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, second)) });
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, at(0));
  expect((await run.runTurn({ step: 'implement', turn: 2 }, at(60))).verdict?.summary).toContain('60 seconds');
  expect(await run.runTurn({ step: 'implement', turn: 3, trigger: 'guidance' }, at(600))).toMatchObject({
    done: false,
  });
});

it('sends no request when costs are limited and the price of the model is unknown', async () => {
  await start({ priced: false, role: { limits: { costUsd: 5 } } });
  const stopped = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  expect(stopped.verdict?.summary).toContain('set its price (Settings, Models)');
  expect(run.modelRequests).toEqual([]);
});

it('gives an agent only the tools of its AgentRole', async () => {
  const tries = says('Try.', command('touch x'), write('x', 'x'), call('read_file', { path: 'app.js' }));
  await start({ implementer: [tries], role: { tools: ['read_file', 'write_file'] } });
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' });
  const results = await readPart('implement', 1);
  expect(results).toContain('This step has no tool \\"run_command\\". Its tools are read_file, write_file, finish.');
  expect(results).toContain('Wrote x.');
});

it.each([
  [true, true, true, true],
  [false, true, true, false],
  [true, false, true, false],
  [true, undefined, true, false],
  [true, true, undefined, false],
])('network: installation %s, org %s, AgentRole %s → commands %s', async (offers, allows, asks, has) => {
  await start({
    implementer: [says('Try.', command('true'))],
    ...(asks && { role: { network: asks } }),
    ...(allows !== undefined && { org: { allowNetwork: allows } }),
  });
  const requests: SandboxRequest[] = [];
  const sandbox: Sandbox = {
    spawn: run.deps.sandbox.spawn,
    run: async (request, options) => {
      requests.push(request);
      return await run.deps.sandbox.run(request, options);
    },
  };
  const labels: Record<string, string>[] = [];
  const openNetwork: OpenNetwork = async (given) => {
    labels.push(given);
    return await startEgressProxy({ resolve: async () => [], judge: () => 'closed', log: () => {} });
  };
  await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { sandbox, ...(offers && { openNetwork }) });
  expect(requests.map(({ network }) => network !== undefined)).toEqual([has]);
  expect(labels).toEqual(has ? [{ namespace: 'org-acme', run: 'change-hello-7', step: 'implement' }] : []);
  expect(await readPart('implement', 1, 'prompt')).toContain(
    has ? 'can reach public addresses' : 'There is no network',
  );
});
