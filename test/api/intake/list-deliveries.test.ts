import { expect, it } from 'vitest';
import { createIntakeActivities } from '../../../activities/intake.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import type { SourceEvent } from '../../../src/rules/intake/events.ts';
import { startApi } from '../../support/start-api.ts';

const facts: SourceEvent = {
  event: 'issues',
  action: 'labeled',
  label: 'go',
  labels: ['go'],
  repo: 'acme/hello',
  number: 7,
  senderIsBot: false,
  isPullRequest: false,
};
type Page = { items: { delivery: string }[]; continue?: string };

async function noted(count: number) {
  const api = await startApi({ role: 'viewer' });
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const name of ['report', 'other']) {
    const spec = { enabled: true, triggers: [], steps };
    await api.store.create(AgentWorkflowKind, { metadata: { namespace: 'org-acme', name }, spec });
  }
  const { recordDelivery } = createIntakeActivities({ store: api.store, now: () => new Date() });
  for (let at = 1; at <= count; at += 1) {
    const routed = [
      { agentWorkflow: 'report', run: `run-${at}` },
      { agentWorkflow: 'other', reason: 'the AgentWorkflow is not enabled' },
    ];
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
    await recordDelivery({ org: 'acme', delivery: `d${at}`, routing: `r${at}`, facts, at: time, routed });
  }
  const read = async (path: string): Promise<Page> =>
    (await (await api.request(`/v1/orgs/acme/agentworkflows/${path}`)).json()) as Page;
  return { ...api, read };
}

it('200: shows what each delivery was and what came of it, newest first and page by page', async () => {
  const { read } = await noted(5);
  const { items } = await read('other/deliveries?limit=1');
  expect(items).toEqual([
    {
      agentWorkflow: 'other',
      delivery: 'd5',
      event: 'issue.labeled',
      label: 'go',
      repo: 'acme/hello',
      number: 7,
      at: '2026-01-01T00:00:05.000Z',
      reason: 'the AgentWorkflow is not enabled',
    },
  ]);
  const first = await read('report/deliveries?limit=3');
  const rest = await read(`report/deliveries?limit=3&continue=${encodeURIComponent(first.continue ?? '')}`);
  expect([...first.items, ...rest.items].map(({ delivery }) => delivery)).toEqual(['d5', 'd4', 'd3', 'd2', 'd1']);
  expect(rest.continue).toBeUndefined();
});

it('404: says that there is no such AgentWorkflow', async () => {
  const { request } = await noted(0);
  const response = await request('/v1/orgs/acme/agentworkflows/missing/deliveries');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ detail: 'No AgentWorkflow named "missing" in org "acme".' });
});
