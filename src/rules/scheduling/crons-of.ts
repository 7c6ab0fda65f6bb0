import type { AgentWorkflowSpec } from '../agents/kinds.ts';

type Triggered = Pick<AgentWorkflowSpec, 'triggers'>;

export const cronsOf = ({ triggers }: Triggered): string[] =>
  triggers.flatMap((trigger) => (trigger.type === 'cron' ? [trigger.schedule] : []));

/** Whether it runs by schedule, and so without an issue or instructions. */
export const isScheduled = (workflow: Triggered): boolean => cronsOf(workflow).length > 0;
