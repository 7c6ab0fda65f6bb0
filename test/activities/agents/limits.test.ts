import { afterEach, expect, it } from 'vitest';
import type { Sandbox, SandboxRequest } from '../../../src/integrations/sandbox/sandbox.ts';
import { call, run as command, turn as says, write, type RehearsedTurn } from '../../../src/local/model/example.ts';
import { AgentWorkflowKind, type AgentRoleSpec } from '../../../src/rules/agents/kinds.ts';
import { modelPricesName } from '../../../src/rules/agents/model-prices.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { type AgentLimits, OrganizationKind } from '../../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';

let run: AgentRun;
afterEach(async () => await run.close());

const namespace = 'org-acme';
const look = says('I look.', call('list_files'));

type Given = {
  implementer?: RehearsedTurn[];
  reviewers?: RehearsedTurn[];
  role?: Partial<AgentRoleSpec>;
  org?: AgentLimits;
  costUsdPerRun?: number;
  priced?: boolean;
};

/** A dollar for each token, so that any turn costs more than any limit here. */
const dear = { model: 'rehearsal', inputPerMillion: 100_000, outputPerMillion: 100_000, currency: 'USD' };

async function start({
  implementer = [look, look],
  reviewers = [look],
  role,
  org,
  costUsdPerRun,
  priced = true,
}: Given) {
  const roles = { implementer, 'code-reviewer': reviewers, 'test-reviewer': reviewers };
  run = await startAgentRun({ title: 'Anything' }, [{ name: 'scripted', matches: () => true, roles }]);
  const { store } = run.deps;
  const prices = { prices: JSON.stringify([dear]) };
  if (priced) await store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesName }, data: prices });
  const found = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-hello-7' });
  const changed = { ...found.spec.roles, implementer: { responsibilities: ['Do it.'], ...role } };
  const limits = costUsdPerRun === undefined ? {} : { limits: { costUsdPerRun } };
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, roles: changed, ...limits } });
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', ...(org && { agents: org }) },
  });
}

async function said(step: string, turn: number, part: 'results' | 'opening' = 'results'): Promise<string> {
  return Buffer.from((await run.deps.blobs.find(turnKey({ uid: run.uid, step, turn }, part))) ?? '').toString();
}

const guided = async (step: string, turn: number) => await run.turn({ step, turn, opening: 'guidance' });

it('stops before the turn that the run has no money for, and goes on once there is more', async () => {
  await start({ costUsdPerRun: 1 });
  const { store } = run.deps;
  expect(await run.turn({ step: 'implement', turn: 1, opening: 'start' })).toMatchObject({ done: false });
  const asked = run.questions.length;
  const stopped = await run.turn({ step: 'implement', turn: 2 });
  expect(stopped).toEqual({
    done: true,
    verdict: { outcome: 'needs-guidance', summary: expect.stringContaining('costUsdPerRun') },
    usage: { inputTokens: 0, outputTokens: 0 },
    changed: false,
  });
  expect(run.questions.length).toBe(asked);

  const spec = { enabled: true, triggers: [], steps: [{ name: 'approve', type: 'human' as const }] };
  const metadata = { namespace, name: 'change' };
  await store.create(AgentWorkflowKind, { metadata, spec: { ...spec, limits: { costUsdPerRun: 1_000_000 } } });
  expect(await guided('implement', 3)).toMatchObject({ done: false });
  expect(run.questions.at(-1)).toContain('I look');
});

it('shares what is left of a run between the steps that run at once', async () => {
  await start({ costUsdPerRun: 1 });
  await run.turn({ step: 'review-code', turn: 1, opening: 'start' });
  const other = await run.turn({ step: 'review-tests', turn: 1, opening: 'start' });
  expect(other.verdict).toMatchObject({ outcome: 'needs-guidance' });
});

it('stops all agents of an org whose money for the day is spent, until the next day', async () => {
  await start({ org: { costUsdPerDay: 1 } });
  const on = (time: string) => ({ now: () => new Date(time) });
  await run.turn({ step: 'implement', turn: 1, opening: 'start' }, on('2026-01-01T10:00:00Z'));
  const stopped = await run.turn({ step: 'implement', turn: 2 }, on('2026-01-01T23:59:59Z'));
  expect(stopped.verdict?.summary).toContain('costUsdPerDay');
  expect(await run.turn({ step: 'implement', turn: 2 }, on('2026-01-02T00:00:00Z'))).toMatchObject({ done: false });
});

it('stops a step whose time is up, and gives it as much again after guidance', async () => {
  await start({ role: { limits: { seconds: 60 } } });
  const at = (second: number) => ({ now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, second)) });
  await run.turn({ step: 'implement', turn: 1, opening: 'start' }, at(0));
  expect((await run.turn({ step: 'implement', turn: 2 }, at(60))).verdict?.summary).toContain('60 seconds');
  expect(await run.turn({ step: 'implement', turn: 3, opening: 'guidance' }, at(600))).toMatchObject({ done: false });
});

it('does not begin where money is limited and the price is not known', async () => {
  await start({ priced: false, role: { limits: { costUsd: 5 } } });
  const stopped = await run.turn({ step: 'implement', turn: 1, opening: 'start' });
  expect(stopped.verdict?.summary).toContain('/v1/orgs/acme/models/prices');
  expect(run.questions).toEqual([]);
});

it('gives an agent the tools of its AgentRole and no others', async () => {
  const tries = says('Try.', command('touch x'), write('x', 'x'), call('read_file', { path: 'app.js' }));
  await start({ implementer: [tries], role: { tools: ['read_file', 'write_file'] } });
  await run.turn({ step: 'implement', turn: 1, opening: 'start' });
  const results = await said('implement', 1);
  expect(results).toContain(
    'There is no tool \\"run_command\\" in this step. Its tools are read_file, write_file, finish.',
  );
  expect(results).toContain('Wrote x.');
});

it.each([
  [true, true, true],
  [true, false, false],
  [true, undefined, false],
  [undefined, true, false],
])('with network %s of the AgentRole and %s of the org, commands have network: %s', async (asks, allows, has) => {
  await start({
    implementer: [says('Try.', command('true'))],
    ...(asks && { role: { network: asks } }),
    ...(allows !== undefined && { org: { networkAllowed: allows } }),
  });
  const requests: SandboxRequest[] = [];
  const sandbox: Sandbox = {
    spawn: run.deps.sandbox.spawn,
    run: async (request, options) => {
      requests.push(request);
      return await run.deps.sandbox.run(request, options);
    },
  };
  await run.turn({ step: 'implement', turn: 1, opening: 'start' }, { sandbox });
  expect(requests).toMatchObject([{ network: has }]);
  expect(await said('implement', 1, 'opening')).toContain(has ? 'can reach the network' : 'There is no network');
});
