import type { AgentWorkflow, AgentWorkflowSpec } from '../agents/kinds.ts';
import type { Organization, SchedulingSettings } from '../orgs/kinds.ts';
import { defined } from '../../defined.ts';
import { isRejected } from '../conditions.ts';
import { listCrons } from './list-crons.ts';
import { type Schedule, findLastDueTime, findNextDueTime } from './due-times.ts';

/** An annotation on an Organization with the time at which scheduling was first enabled. */
const schedulingFirstEnabledAnnotation = 'service.delivery/scheduling-first-enabled';
/** An annotation on an Organization or AgentWorkflow; due times up to this time start nothing. */
export const scheduleStartTimeAnnotation = 'service.delivery/schedule-start-time';

export type ScheduleVerdict = {
  /** The schedule for people, with the reason if it is not active. */
  description: string;
  /** The last due time without a run; earlier missed times are skipped. */
  dueAt?: Date;
  nextAt?: Date;
};

/** Decides what the `cron` triggers of an AgentWorkflow start now; undefined when it has none. */
export function judgeSchedule(agentWorkflow: AgentWorkflow, org: Organization, now: Date): ScheduleVerdict | undefined {
  const { spec } = agentWorkflow;
  const crons = listCrons(spec);
  if (crons.length === 0) return undefined;
  const schedule: Schedule = { crons, timeZone: org.spec.scheduling?.timeZone || 'UTC' };
  const description = `${crons.join(' and ')} (${schedule.timeZone})`;
  if (!org.spec.scheduling?.enabled) return { description: `${description}; scheduling is off in this org` };
  if (!spec.enabled) return { description: `${description}; this AgentWorkflow is not enabled` };
  if (isRejected(agentWorkflow)) return { description: `${description}; this AgentWorkflow is not valid` };
  const [dueAt, nextAt] = [findLastDueTime(schedule, now), findNextDueTime(schedule, now)];
  const isPending = dueAt !== undefined && dueAt.getTime() > handledUntilMs(agentWorkflow, org);
  return defined({ description, dueAt: isPending ? dueAt : undefined, nextAt });
}

/** Returns the time up to which all due times are handled. */
function handledUntilMs({ metadata, status }: AgentWorkflow, org: Organization): number {
  const startTime = toEpochMs(metadata.annotations?.[scheduleStartTimeAnnotation]);
  return Math.max(
    toEpochMs(metadata.creationTimestamp),
    toEpochMs(status?.lastScheduledAt),
    toEpochMs(org.metadata.annotations?.[scheduleStartTimeAnnotation]),
    // A start time from before scheduling was first enabled does not count; only the creation does.
    startTime > toEpochMs(org.metadata.annotations?.[schedulingFirstEnabledAnnotation]) ? startTime : 0,
  );
}

const toEpochMs = (timestamp: string | undefined): number => (timestamp === undefined ? 0 : Date.parse(timestamp));

/** Returns the annotations of an Organization after a change of its scheduling. Due times while scheduling was off are skipped. */
export function orgScheduleAnnotations(
  { metadata, spec }: Pick<Organization, 'metadata' | 'spec'>,
  requested: SchedulingSettings,
  now: Date,
): Record<string, string> {
  const { annotations = {} } = metadata;
  const { enabled = false, timeZone = '' } = spec.scheduling ?? {};
  const changed = enabled !== requested.enabled || timeZone !== requested.timeZone;
  if (!requested.enabled || !changed) return annotations;
  const name =
    annotations[schedulingFirstEnabledAnnotation] === undefined
      ? schedulingFirstEnabledAnnotation
      : scheduleStartTimeAnnotation;
  return { ...annotations, [name]: now.toISOString() };
}

/** Returns the annotations of an AgentWorkflow after a change of its spec. A new or newly enabled schedule starts now. */
export function workflowScheduleAnnotations(
  { metadata, spec }: Pick<AgentWorkflow, 'metadata' | 'spec'>,
  requested: AgentWorkflowSpec,
  now: Date,
): Record<string, string> {
  const { annotations = {} } = metadata;
  const isUnchanged = spec.enabled && listCrons(spec).join('\n') === listCrons(requested).join('\n');
  if (isUnchanged || !requested.enabled) return annotations;
  return { ...annotations, [scheduleStartTimeAnnotation]: now.toISOString() };
}
