import type { AgentWorkflow, AgentWorkflowSpec } from '../agents/kinds.ts';

/** An annotation on an AgentWorkflow with the time since which it has its triggers. */
export const triggersSinceAnnotation = 'service.delivery/triggers-since';

/** Returns the annotation to write with the spec of an AgentWorkflow when its triggers change. */
export function triggersSince(
  current: AgentWorkflowSpec,
  requested: AgentWorkflowSpec,
  now: Date,
): Record<string, string> {
  const toText = ({ enabled, triggers }: AgentWorkflowSpec): string => JSON.stringify([enabled, triggers]);
  return toText(current) === toText(requested) ? {} : { [triggersSinceAnnotation]: now.toISOString() };
}

/** Returns whether an AgentWorkflow had its triggers at a time. A lost event of an earlier time has started nothing. */
export const hadTriggers = ({ metadata }: Pick<AgentWorkflow, 'metadata'>, at: string): boolean =>
  Date.parse(metadata.annotations?.[triggersSinceAnnotation] ?? metadata.creationTimestamp) <= Date.parse(at);
