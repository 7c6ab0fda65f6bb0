import { createRoute, z } from '@hono/zod-openapi';
import { TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import { costKeys, sumCosts, totalCosts, type Costs } from '../../src/rules/agents/sum-costs.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';

const dayMs = 24 * 60 * 60_000;

const CostsView = z
  .object({
    turns: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cachedInputTokens: z.int().openapi({ description: 'Of the input tokens: those the provider still had.' }),
    costMicroUsd: z.int().openapi({ description: 'Millionths of a dollar, at the prices of the time.' }),
    costUnknown: z.boolean().openapi({ description: 'Some of it had no known price, and is not in the cost.' }),
  })
  .openapi('AgentCosts');

const AgentCostsView = z
  .object({
    org: z.string(),
    by: z.enum(costKeys),
    from: z.iso.date(),
    to: z.iso.date(),
    total: CostsView,
    items: z.array(CostsView.extend({ key: z.string() })),
  })
  .openapi('AgentCostsReport');

const route = createRoute({
  operationId: 'getAgentCosts',
  method: 'get',
  path: '/v1/orgs/{org}/agent-costs',
  tags: ['Agents'],
  summary: 'What the agents of an org used and cost, by AgentRole, model, Product, AgentWorkflow or day (UTC)',
  ...needs('viewer'),
  request: {
    params: OrgParams,
    query: z.strictObject({
      days: z.coerce.number().int().min(1).max(366).default(30).openapi({ description: 'Up to and with today.' }),
      by: z.enum(costKeys).default('agentRole'),
    }),
  },
  responses: { 200: answer('The costs', AgentCostsView), ...problems(401, 403, 404, 422) },
});

export function getAgentCosts(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { days, by } = c.req.valid('query');
    await getOrganization(store, org);
    const to = dayOf(now().getTime());
    const from = dayOf(now().getTime() - (days - 1) * dayMs);
    const { items } = await lastHeard(store).list(TurnLedgerKind, { namespace: orgNamespace(org) });
    const within = items.filter(({ spec: { day } }) => from <= day && day <= to);
    const sums = sumCosts(within, by).map(({ key, costs }) => ({ key, ...viewOf(costs) }));
    return c.json({ org, by, from, to, total: viewOf(totalCosts(within)), items: sums }, 200);
  });
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function viewOf({ turns, usage }: Costs): z.infer<typeof CostsView> {
  const { inputTokens, outputTokens, cachedInputTokens = 0, costMicroUsd = 0, costUnknown = false } = usage;
  return { turns, inputTokens, outputTokens, cachedInputTokens, costMicroUsd, costUnknown };
}
