import type { AgentWorkflow, AgentWorkflowSpec } from '../agents/kinds.ts';
import type { Organization, Scheduling } from '../catalog/kinds.ts';
import { cronsOf } from './crons-of.ts';
import { type Schedule, lastDue, nextDue } from './due-times.ts';

/** On an Organization: when its scheduled runs were turned on for the first time. */
const firstOnAnnotation = 'service.delivery/scheduling-first-on';
/** On an Organization or AgentWorkflow: times that came due up to then start nothing any more. */
export const countsFromAnnotation = 'service.delivery/schedules-count-from';

export type ScheduleVerdict = {
  /** For people: the schedule, and what keeps it from running. */
  text: string;
  /** What came due and has not been started: at most one time, however many were missed. */
  due?: Date;
  next?: Date;
};

/** Decides what an AgentWorkflow's `cron` triggers ask for now; undefined where it has none. */
export function judgeSchedule(agentWorkflow: AgentWorkflow, org: Organization, now: Date): ScheduleVerdict | undefined {
  const { spec } = agentWorkflow;
  const crons = cronsOf(spec);
  if (crons.length === 0) return undefined;
  const schedule: Schedule = { crons, timeZone: org.spec.scheduling?.timeZone || 'UTC' };
  const text = `${crons.join(' and ')} (${schedule.timeZone})`;
  if (!org.spec.scheduling?.enabled) return { text: `${text}; scheduling is off in this org` };
  if (!spec.enabled) return { text: `${text}; this AgentWorkflow is not enabled` };
  const [last, next] = [lastDue(schedule, now), nextDue(schedule, now)];
  const isOpen = last !== undefined && last.getTime() > settledTo(agentWorkflow, org);
  return { text, ...(isOpen && { due: last }), ...(next && { next }) };
}

/** Up to then there is nothing left to start. */
function settledTo({ metadata, status }: AgentWorkflow, org: Organization): number {
  const changed = timeOf(metadata.annotations?.[countsFromAnnotation]);
  return Math.max(
    timeOf(metadata.creationTimestamp),
    timeOf(status?.lastScheduledAt),
    timeOf(org.metadata.annotations?.[countsFromAnnotation]),
    // Of what came before scheduling was turned on for the first time, only the creation counts.
    changed > timeOf(org.metadata.annotations?.[firstOnAnnotation]) ? changed : 0,
  );
}

const timeOf = (timestamp: string | undefined): number => (timestamp === undefined ? 0 : Date.parse(timestamp));

/** What an Organization is to carry once its scheduling is set so: times that passed while it was off are not caught up. */
export function schedulingAnnotations(
  { metadata, spec }: Pick<Organization, 'metadata' | 'spec'>,
  wanted: Scheduling,
  now: Date,
): Record<string, string> {
  const { annotations = {} } = metadata;
  const { enabled = false, timeZone = '' } = spec.scheduling ?? {};
  const changed = enabled !== wanted.enabled || timeZone !== wanted.timeZone;
  if (!wanted.enabled || !changed) return annotations;
  const name = annotations[firstOnAnnotation] === undefined ? firstOnAnnotation : countsFromAnnotation;
  return { ...annotations, [name]: now.toISOString() };
}

/** What an AgentWorkflow is to carry once its spec is so: a new schedule, or one enabled anew, has missed nothing. */
export function scheduleAnnotations(
  { metadata, spec }: Pick<AgentWorkflow, 'metadata' | 'spec'>,
  wanted: AgentWorkflowSpec,
  now: Date,
): Record<string, string> {
  const { annotations = {} } = metadata;
  const goesOn = spec.enabled && cronsOf(spec).join('\n') === cronsOf(wanted).join('\n');
  if (goesOn || !wanted.enabled) return annotations;
  return { ...annotations, [countsFromAnnotation]: now.toISOString() };
}
