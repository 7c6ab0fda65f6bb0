import { describe, expect, it } from 'vitest';
import { createIntakeActivities } from '../../../activities/intake/intake-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { ignored } from '../../../src/rules/intake/ignored-reasons.ts';
import type { CodehostEvent } from '../../../src/rules/intake/events.ts';
import { startApi } from '../../support/start-api.ts';

const facts: CodehostEvent = {
  event: 'issues',
  action: 'labeled',
  label: 'go',
  labels: ['go'],
  repo: 'acme/hello',
  number: 7,
  senderIsBot: false,
  isPullRequest: false,
};
type Page = { items: { deliveryId: string }[]; continue?: string };

/** Records this number of deliveries, each routed to two AgentWorkflows. */
async function withDeliveries(count: number) {
  const api = await startApi({ role: 'viewer' });
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const name of ['report', 'other']) {
    const spec = { enabled: true, triggers: [], steps };
    await api.store.create(AgentWorkflowKind, { metadata: { namespace: 'org-acme', name }, spec });
  }
  const { recordDelivery } = createIntakeActivities({
    store: api.store,
    now: () => new Date(),
    quotas: loadConfig({}).quotas,
  });
  for (let at = 1; at <= count; at += 1) {
    const routed = [
      { agentWorkflow: 'report', run: `run-${at}` },
      { agentWorkflow: 'other', ...ignored('workflow-disabled') },
    ];
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
    await recordDelivery({ org: 'acme', deliveryId: `d${at}`, workflowId: `r${at}`, facts, at: time, routed });
  }
  const read = async (path: string): Promise<Page> =>
    (await (await api.request(`/v1/orgs/acme/agentworkflows/${path}`)).json()) as Page;
  return { ...api, read };
}

describe('listDeliveries', () => {
  it('200: returns each delivery with its outcome, newest first, page by page', async () => {
    const { read } = await withDeliveries(5);
    const { items } = await read('other/deliveries?limit=1');
    expect(items).toEqual([
      {
        agentWorkflow: 'other',
        deliveryId: 'd5',
        event: 'issue.labeled',
        label: 'go',
        repo: 'acme/hello',
        number: 7,
        at: '2026-01-01T00:00:05.000Z',
        reason: 'workflow-disabled',
        message: 'the AgentWorkflow is not enabled',
      },
    ]);
    const first = await read('report/deliveries?limit=3');
    const rest = await read(`report/deliveries?limit=3&continue=${encodeURIComponent(first.continue ?? '')}`);
    expect([...first.items, ...rest.items].map(({ deliveryId }) => deliveryId)).toEqual(['d5', 'd4', 'd3', 'd2', 'd1']);
    expect(rest.continue).toBeUndefined();
  });

  it('404: names the missing AgentWorkflow', async () => {
    const { request } = await withDeliveries(0);
    const response = await request('/v1/orgs/acme/agentworkflows/missing/deliveries');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: 'No AgentWorkflow named "missing" in org "acme".' });
  });
});
