import { createRoute, z } from '@hono/zod-openapi';
import { TurnLedgerKind } from '../../src/rules/agents/ledger-kinds.ts';
import { costKeys, sumCosts, totalCosts, type Costs } from '../../src/rules/agents/sum-costs.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, OrgParams } from '../http/views.ts';

const dayMs = 24 * 60 * 60_000;

const CostsView = z
  .object({
    turns: z.int().describe('Number of turns.'),
    inputTokens: z.int().describe('Number of input tokens, including the cached ones.'),
    outputTokens: z.int().describe('Number of output tokens.'),
    cachedInputTokens: z.int().openapi({ description: 'Input tokens that the provider served from its cache.' }),
    costMicroUsd: z
      .int()
      .openapi({ description: 'Millionths of a US dollar, at the prices at the time of each turn.' }),
    seconds: z.number().describe('Time that the models and the tools took, in seconds.'),
    costUnknown: z
      .boolean()
      .openapi({ description: 'True if some turns had no known price; the cost does not include them.' }),
  })
  .openapi('AgentCosts', { description: 'Token usage and cost.' });

const AgentCostsView = z
  .object({
    org: z.string().describe('Name of the org.'),
    groupBy: z.enum(costKeys).describe('Property that the items are grouped by.'),
    from: z.iso.date().describe('First day of the report (UTC).'),
    to: z.iso.date().describe('Last day of the report (UTC).'),
    total: CostsView,
    items: z
      .array(CostsView.extend({ key: z.string().describe('Value of the property that the items are grouped by.') }))
      .describe('Usage and cost of each group.'),
  })
  .openapi('AgentCostsReport');

const route = createRoute({
  operationId: 'getAgentCosts',
  method: 'get',
  path: '/v1/orgs/{org}/agent-costs',
  tags: ['Agents'],
  summary: 'Get the token usage and cost of an org’s agents',
  description: 'Grouped by AgentRole, model, Product, AgentWorkflow or day (UTC).',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: z.strictObject({
      days: decimal({ min: 1, max: 366 })
        .default(30)
        .openapi({ description: 'Number of days, through today.', default: 30 }),
      groupBy: z.enum(costKeys).default('agentRole').describe('Property to group by.'),
    }),
  },
  responses: { 200: jsonResponse('The costs', AgentCostsView), ...problems(401, 403, 404, 422) },
});

export function getAgentCosts(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { days, groupBy } = c.req.valid('query');
    await getOrganization(store, org);
    const to = toUtcDay(now().getTime());
    const from = toUtcDay(now().getTime() - (days - 1) * dayMs);
    const { items } = await cachedReads(store).list(TurnLedgerKind, { namespace: orgNamespace(org) });
    const within = items.filter(({ spec: { day } }) => from <= day && day <= to);
    const sums = sumCosts(within, groupBy).map(({ key, costs }) => ({ key, ...toCostsView(costs) }));
    return c.json({ org, groupBy, from, to, total: toCostsView(totalCosts(within)), items: sums }, 200);
  });
}

const toUtcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

function toCostsView({ turns, usage }: Costs): z.infer<typeof CostsView> {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    costMicroUsd = 0,
    seconds = 0,
    costUnknown = false,
  } = usage;
  return { turns, inputTokens, outputTokens, cachedInputTokens, costMicroUsd, seconds, costUnknown };
}
