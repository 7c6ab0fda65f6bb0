import { describe, expect, it } from 'vitest';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';
import { createProduct, createResource } from '../dora/seed-hand-computed.ts';

const now = () => new Date('2026-11-24T12:00:00Z');
const at = (clock: string): string => `2026-11-24T${clock}:00.000Z`;
const path = '/v1/orgs/acme/activity';
const usages = [
  { role: 'dev', inputTokens: 100, outputTokens: 11, costMicroUsd: 7, seconds: 60 },
  { role: 'dev', inputTokens: 200, outputTokens: 12, costMicroUsd: 8, seconds: 30 },
  { role: 'critic', inputTokens: 300, outputTokens: 13, costMicroUsd: 90, seconds: 5 },
];

/** A run per usage, each with its ledger, as the service writes them. */
async function seedRuns(store: Store): Promise<void> {
  for (const [index, { role, ...usage }] of usages.entries()) {
    const steps = [{ name: 'work', type: 'agent' as const, role, mode: 'change' as const }];
    const startedAt = at(`1${index}:00`);
    const status: RunStatus = {
      phase: 'Succeeded',
      startedAt,
      finishedAt: at(`1${index}:30`),
      steps: [
        {
          name: 'work',
          phase: 'Succeeded',
          startedAt,
          finishedAt: at(`1${index}:20`),
          usage,
          rounds: [{ number: 1, startedAt, finishedAt: at(`1${index}:20`), outcome: 'done' }],
        },
      ],
    };
    const name = `run-${index}`;
    const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'ada@example.com', steps, roles: {} };
    await createResource(store, AgentWorkflowRunKind, { name, spec, status });
    await createResource(store, TurnLedgerKind, {
      name,
      spec: { run: name, product: 'shop', agentWorkflow: 'change', day: '2026-11-24' },
      status: { steps: [{ step: 'work', role, latestTurn: { turn: 1, model: 'm', usage }, earlierTurns: [] }] },
    });
  }
}

async function seedRelease(store: Store): Promise<void> {
  const base = { product: 'shop', version: 'v1.0.0', commit: 'c', startedBy: 'ada@example.com' };
  await createResource(store, ReleaseKind, {
    name: 'shop-v1',
    spec: { ...base, repo: 'acme/shop' },
    status: {
      phase: 'Succeeded',
      startedAt: at('09:00'),
      builtAt: at('09:03'),
      taggedAt: at('09:04'),
      finishedAt: at('09:30'),
      zones: [],
    },
  });
  await createResource(store, PromotionKind, {
    name: 'shop-v1-prod',
    spec: { ...base, zone: 'prod', release: 'shop-v1', trigger: 'release' },
    status: {
      phase: 'Verified',
      phases: [
        { phase: 'WaitingForApproval', at: at('09:04') },
        { phase: 'Promoting', at: at('09:24') },
      ],
      startedAt: at('09:24'),
      healthyAt: at('09:28'),
      verifiedAt: at('09:30'),
      finishedAt: at('09:30'),
    },
  });
}

const seed = async (store: Store): Promise<void> => {
  await createProduct(store, 'shop');
  await seedRuns(store);
  await seedRelease(store);
};

type Activity = {
  agents: { seconds: number; tokens: number; costMicroUsd: number };
  byRole: { role: string; costMicroUsd: number; tokens: number; seconds: number }[];
  items: { name: string; kind: string; spans: { name: string; state: string }[] }[];
  continue?: string;
};

describe('getActivity', () => {
  it('200: has a lane for each run and Release, with the sums of the window', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seed(store);
    const response = await request(path);
    expect(response.status).toBe(200);
    const view = (await response.json()) as Activity;
    expect(view).toMatchObject({
      hours: 6,
      runs: 2,
      releases: 1,
      goingOn: 0,
      waiting: 0,
      agents: { concurrentMax: 1 },
      people: { seconds: 1_200, longest: { kind: 'release', name: 'shop-v1', label: 'v1.0.0', seconds: 1_200 } },
      reachedProduction: [{ release: 'shop-v1', product: 'shop', version: 'v1.0.0' }],
      byStage: [
        { stage: 'build', medianSeconds: 180 },
        { stage: 'tag', medianSeconds: 60 },
        { stage: 'approval', isReleaseZone: true, medianSeconds: 1_200 },
        { stage: 'deploy', isReleaseZone: true, medianSeconds: 240, latest: { isGoingOn: false } },
        { stage: 'smoke-check', isReleaseZone: true, medianSeconds: 120 },
      ],
    });
    expect(view.items.map(({ name, spans }) => [name, spans.map((span) => span.name)])).toEqual([
      ['run-1', ['work']],
      ['run-0', ['work']],
      ['shop-v1', ['build', 'tag', 'approval', 'deploy', 'smoke-check']],
    ]);
  });

  it('200: agrees with the sum of the runs, and of the ledger', async () => {
    const { store, request } = await startApi({ role: 'viewer', now: () => new Date('2026-11-24T23:00:00Z') });
    await seed(store);
    const { agents, byRole } = (await (await request(`${path}?hours=24`)).json()) as Activity;
    const { items: runs } = await store.list(AgentWorkflowRunKind, { namespace: 'org-acme' });
    const used = runs.flatMap(({ status }) => status?.steps.flatMap(({ usage }) => usage ?? []) ?? []);
    const add = (toValue: (one: (typeof used)[number]) => number): number =>
      used.reduce((sum, one) => sum + toValue(one), 0);
    expect(agents).toMatchObject({
      seconds: add(({ seconds = 0 }) => seconds),
      tokens: add(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
      costMicroUsd: add(({ costMicroUsd = 0 }) => costMicroUsd),
    });
    const ledger = (await (await request('/v1/orgs/acme/agent-costs?days=1')).json()) as {
      total: { costMicroUsd: number; seconds: number };
      items: { key: string; costMicroUsd: number; seconds: number; inputTokens: number; outputTokens: number }[];
    };
    expect(ledger.total).toMatchObject({ costMicroUsd: agents.costMicroUsd, seconds: agents.seconds });
    expect(byRole.map(({ role, costMicroUsd, tokens, seconds }) => [role, costMicroUsd, tokens, seconds])).toEqual(
      ledger.items.map((one) => [one.key, one.costMicroUsd, one.inputTokens + one.outputTokens, one.seconds]),
    );
  });

  it('200: pages through the lanes, while the sums stay those of the window', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seed(store);
    const first = (await (await request(`${path}?limit=2`)).json()) as Activity;
    expect(first.items.map(({ name }) => name)).toEqual(['run-1', 'run-0']);
    const second = (await (await request(`${path}?limit=2&continue=${first.continue}`)).json()) as Activity;
    expect(second).toMatchObject({ runs: 2, releases: 1, agents: first.agents, items: [{ name: 'shop-v1' }] });
    expect(second).not.toHaveProperty('continue');
  });

  it('200: has the lanes of one Product', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seed(store);
    expect(await (await request(`${path}?product=other`)).json()).toMatchObject({ runs: 0, releases: 0, items: [] });
  });

  it.each(['hours=0', 'hours=505', 'continue=%21', 'limit=0'])('422: rejects %s', async (query) => {
    const { request } = await startApi({ role: 'viewer', now });
    expect(await (await request(`${path}?${query}`)).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: `?${query.split('=')[0]}` }],
    });
  });
});
