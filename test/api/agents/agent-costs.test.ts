import { describe, expect, it } from 'vitest';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';

const now = () => new Date('2026-03-31T12:00:00Z');

async function spend(store: Store, day: string, more: { model?: string; role?: string; namespace?: string } = {}) {
  const { model = 'm', role = 'dev', namespace = 'org-acme' } = more;
  const metadata = { namespace, name: `run-${day}-${model}-${role}` };
  await store.create(TurnLedgerKind, { metadata, spec: { run: 'run', product: 'p', agentWorkflow: 'change', day } });
  const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 40, costMicroUsd: 7 };
  const earlierTurns = [{ model, turns: 2, usage: { ...usage, costUnknown: true as const } }];
  await store.updateStatus(TurnLedgerKind, metadata, () => ({
    steps: [{ step: 's', role, latestTurn: { turn: 3, model, usage }, earlierTurns }],
  }));
}

const spent = {
  turns: 3,
  inputTokens: 200,
  outputTokens: 20,
  cachedInputTokens: 80,
  costMicroUsd: 14,
  costUnknown: true,
};

describe('getAgentCosts', () => {
  it('200: sums the costs of the org through today by the requested key', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await spend(store, '2026-03-31');
    await spend(store, '2026-03-30', { model: 'other' });
    await spend(store, '2026-03-29');
    await spend(store, '2026-03-31', { namespace: 'org-other' });
    const getCosts = async (query: string) => (await request(`/v1/orgs/acme/agent-costs${query}`)).json();
    expect(await getCosts('?days=2&groupBy=day')).toMatchObject({
      from: '2026-03-30',
      to: '2026-03-31',
      total: { turns: 6, costMicroUsd: 28, costUnknown: true },
      items: [
        { key: '2026-03-30', ...spent },
        { key: '2026-03-31', ...spent },
      ],
    });
    expect(await getCosts('?groupBy=model')).toMatchObject({
      items: [
        { key: 'm', turns: 6 },
        { key: 'other', turns: 3 },
      ],
    });
    expect(await getCosts('?days=1')).toMatchObject({ groupBy: 'agentRole', items: [{ key: 'dev', ...spent }] });
  });

  it('200: an org without costs has zeros', async () => {
    const { request } = await startApi({ role: 'viewer', now });
    expect(await (await request('/v1/orgs/acme/agent-costs')).json()).toMatchObject({
      total: { turns: 0, inputTokens: 0, cachedInputTokens: 0, costMicroUsd: 0, costUnknown: false },
      items: [],
    });
  });

  it('422: rejects an unknown key', async () => {
    const { request } = await startApi({ role: 'viewer', now });
    const refused = await request('/v1/orgs/acme/agent-costs?groupBy=colour');
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '?groupBy' }] });
  });
});
