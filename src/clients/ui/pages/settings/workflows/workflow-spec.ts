import type { Schemas } from '../../../api/generated/openapi.ts';

export type AgentWorkflow = Schemas['AgentWorkflow'];
export type WorkflowSpec = AgentWorkflow['spec'];
export type Trigger = WorkflowSpec['triggers'][number];
export type WorkflowStep = WorkflowSpec['steps'][number];
export type AgentStep = Extract<WorkflowStep, { type: 'agent' }>;

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && 'type' in item);

/** Returns true if a document has the lists that the form shows; the API checks everything else. */
export function isWorkflowSpec(value: unknown): value is WorkflowSpec {
  const { triggers, steps } = (value ?? {}) as Record<string, unknown>;
  return isList(triggers) && isList(steps);
}

/** Says in words what starts a run. */
export function describeTrigger(trigger: Trigger): string {
  if (trigger.type === 'cron') return `Schedule ${trigger.schedule}`;
  const labels = trigger.labels?.length ? ` ${trigger.labels.join(' or ')}` : '';
  if (trigger.type === 'onChange') {
    const branches = trigger.branches?.length ? ` into ${trigger.branches.join(' or ')}` : '';
    return `Pull request${branches} opened or changed${labels && ` with the label${labels}`}`;
  }
  if (trigger.event === 'release.cut') return 'Release tagged';
  if (trigger.event === 'issue.labeled') return labels === '' ? 'Any label added to an issue' : `Label added:${labels}`;
  return `Issue opened${labels && ` with the label${labels}`}`;
}

/** Says in a few words what a step does. */
export function describeStep(step: WorkflowStep): string {
  if (step.type === 'human') return 'a person approves';
  if (step.type === 'merge') return 'the pull request is merged';
  const does =
    step.reviews === undefined ? (step.mode === 'change' ? 'changes code' : 'reports') : `reviews ${step.reviews}`;
  return `${step.role} ${does}`;
}
