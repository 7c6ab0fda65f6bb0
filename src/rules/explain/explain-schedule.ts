import type { AgentWorkflow } from '../agents/kinds.ts';
import { isRejected } from '../conditions.ts';
import { ignoredFixes } from '../intake/ignored-reasons.ts';
import type { Organization } from '../orgs/kinds.ts';
import { judgeSchedule } from '../scheduling/judge-schedule.ts';
import { type Explanation, toFacts } from './explanation.ts';

/** Explains when the `cron` triggers of an AgentWorkflow fire next, or why they do not. */
export function explainSchedule(agentWorkflow: AgentWorkflow, organization: Organization, now: Date): Explanation {
  const verdict = judgeSchedule(agentWorkflow, organization, now);
  const { lastScheduledAt, schedule } = agentWorkflow.status ?? {};
  const pauseRule = findPauseRule(agentWorkflow, organization);
  const facts = toFacts({
    schedule: verdict?.description,
    scheduling: organization.spec.scheduling?.enabled ? 'on' : 'off',
    enabled: String(agentWorkflow.spec.enabled),
    lastScheduledAt,
    dueAt: verdict?.dueAt?.toISOString(),
    nextAt: verdict?.nextAt?.toISOString(),
  });
  if (!verdict)
    return {
      state: 'nothing',
      rule: 'no-cron-trigger',
      message: 'The AgentWorkflow has no `cron` trigger.',
      facts,
      fix: 'Add a `cron` trigger to the AgentWorkflow (Settings, AgentWorkflows).',
    };
  if (pauseRule !== undefined)
    return {
      state: 'nothing',
      rule: pauseRule,
      message: `The schedule starts nothing: ${verdict.description}.`,
      facts,
      fix:
        pauseRule === 'scheduling-off'
          ? 'Enable scheduling in the org (Settings, Scheduling).'
          : ignoredFixes[pauseRule],
    };
  // The schedule adds to its description what its runs wait for.
  if (verdict.dueAt && schedule?.startsWith(`${verdict.description}; `))
    return {
      state: 'waiting',
      rule: 'quota-reached',
      message: `The runs that were due at ${verdict.dueAt.toISOString()} wait: ${schedule}.`,
      facts,
      fix: 'Wait until runs of the org finish, or cancel some that are not needed.',
    };
  if (verdict.dueAt)
    return {
      state: 'running',
      rule: 'due',
      message: `The runs that were due at ${verdict.dueAt.toISOString()} are being started.`,
      facts,
    };
  if (!verdict.nextAt)
    return {
      state: 'nothing',
      rule: 'never-due',
      message: `No time matches the schedule ${verdict.description}.`,
      facts,
      fix: 'Change the `schedule` of the trigger.',
    };
  return {
    state: 'waiting',
    rule: 'not-due',
    message: `The schedule is due next at ${verdict.nextAt.toISOString()}.`,
    facts,
  };
}

function findPauseRule(
  agentWorkflow: AgentWorkflow,
  { spec: { scheduling } }: Organization,
): 'scheduling-off' | 'workflow-disabled' | 'workflow-rejected' | undefined {
  if (!scheduling?.enabled) return 'scheduling-off';
  if (!agentWorkflow.spec.enabled) return 'workflow-disabled';
  return isRejected(agentWorkflow) ? 'workflow-rejected' : undefined;
}
