import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { Counter, type Registry } from 'prom-client';
import type { Activities } from '../../../activities/index.ts';
import type { FailureReason } from '../../rules/failure-reasons.ts';

const turnActivity: keyof Activities = 'runAgentTurn';

/** The budgets that are checked before each turn. */
const budgetReasons: ReadonlySet<string | undefined> = new Set<FailureReason>([
  'org-budget-exhausted',
  'run-budget-exhausted',
  'time-limit-reached',
  'model-price-unknown',
]);

type Turn = Awaited<ReturnType<Activities['runAgentTurn']>>;

/** Counts the agent steps that stopped because a budget was used up, and now wait for a person. */
export function countBudgetStops(registry: Registry): ActivityInterceptorsFactory {
  const stops = new Counter({
    name: 'delivery_agent_budget_stops_total',
    help: 'Agent steps that stopped because a budget was used up, and wait for a person',
    labelNames: ['org', 'reason'],
    registers: [registry],
  });
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const result = await next(input);
        if (info.activityType !== turnActivity) return result;
        const reason = (result as Turn).verdict?.reason;
        const { org } = input.args[0] as Parameters<Activities['runAgentTurn']>[0];
        if (reason !== undefined && budgetReasons.has(reason)) stops.inc({ org, reason });
        return result;
      },
    },
  });
}
