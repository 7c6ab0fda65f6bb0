import type { AgentWorkflowSpec } from '../agents/kinds.ts';

type WithTriggers = Pick<AgentWorkflowSpec, 'triggers'>;

export const listCrons = ({ triggers }: WithTriggers): string[] =>
  triggers.flatMap((trigger) => (trigger.type === 'cron' ? [trigger.schedule] : []));

/** Scheduled AgentWorkflows run without an issue or instructions. */
export const isScheduled = (workflow: WithTriggers): boolean => listCrons(workflow).length > 0;
