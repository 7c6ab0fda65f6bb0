import type { FieldError } from '../../errors.ts';
import { cronViolation } from '../scheduling/cron-violation.ts';
import type { ToolName } from './tool-names.ts';
import type { AgentRoleSpec, AgentWorkflowSpec, StepSpec, TriggerSpec } from './kinds.ts';

export type Roles = ReadonlyMap<string, Pick<AgentRoleSpec, 'tools'>>;

/** Returns one error per field that keeps an AgentWorkflow from running; an empty array when it is valid. */
export function validateAgentWorkflow({ steps, triggers }: AgentWorkflowSpec, roles: Roles): FieldError[] {
  // A run that starts from a pull request has a change before its first step.
  const startsFromPullRequest = triggers.some(({ type }) => pullRequestTriggers.has(type));
  const triggerErrors = triggers.flatMap((trigger, at) => {
    if (trigger.type !== 'event' || trigger.event !== 'release.cut' || trigger.labels === undefined) return [];
    return [{ pointer: `/spec/triggers/${at}/labels`, detail: 'A Release has no labels. Remove them.' }];
  });
  const stepErrors = steps.flatMap((step, at) => {
    const checks = [
      roleViolation(step, roles),
      nameViolation(steps, at),
      mergeViolation(steps, { at, startsFromPullRequest }),
      reviewViolation(steps, at),
      groupViolation(steps, at),
      conditionViolation(steps, { at, startsFromPullRequest }),
      duplicateCriterionViolation(step),
      deliverViolation(step, triggers),
      labelsViolation(step),
    ];
    return checks.flatMap((found) => {
      if (!found) return [];
      const [field, detail] = found;
      return [{ pointer: `/spec/steps/${at}/${field}`, detail: `Step "${step.name}": ${detail}` }];
    });
  });
  return [...triggerErrors, ...stepErrors, ...triggers.flatMap(scheduleViolation)];
}

function scheduleViolation(trigger: TriggerSpec, at: number): FieldError[] {
  const detail = trigger.type === 'cron' ? cronViolation(trigger.schedule) : undefined;
  return detail === undefined ? [] : [{ pointer: `/spec/triggers/${at}/schedule`, detail }];
}

type Violation = [field: string, detail: string] | undefined;

const changingTools = new Set<ToolName>(['edit_file', 'write_file', 'delete_file', 'run_command']);

const pullRequestTriggers = new Set<string>(['onChange']);
type StepPosition = { at: number; startsFromPullRequest: boolean };

/** Without an unconditional change step, the run has nothing to open a pull request for. */
const hasChange = (steps: StepSpec[]): boolean => steps.some((step) => isChange(step) && !step.when);

const isChange = (step: StepSpec | undefined): boolean => step?.type === 'agent' && step.mode === 'change';

function roleViolation(step: StepSpec, roles: Roles): Violation {
  if (step.type !== 'agent') return undefined;
  const role = roles.get(step.role);
  if (!role) return ['role', `the org has no AgentRole "${step.role}". Create it first, or name another AgentRole.`];
  if (step.mode === 'report' || !role.tools || role.tools.some((tool) => changingTools.has(tool))) return undefined;
  return [
    'role',
    `the AgentRole "${step.role}" allows no tool that changes code. Allow one, or name another AgentRole.`,
  ];
}

function nameViolation(steps: StepSpec[], at: number): Violation {
  const first = steps.findIndex(({ name }) => name === steps[at]?.name);
  return first === at ? undefined : ['name', `step ${first + 1} has the same name. Use unique names.`];
}

function mergeViolation(steps: StepSpec[], { at, startsFromPullRequest }: StepPosition): Violation {
  const before = steps.slice(0, at);
  const merged = before.findIndex(
    (step, index) => step.type === 'merge' && (startsFromPullRequest || hasChange(steps.slice(0, index))),
  );
  const step = steps[at];
  if (merged !== -1 && isChange(step)) return ['mode', 'it comes after the merge, so its changes would be lost.'];
  if (step?.type !== 'merge') return undefined;
  if (merged !== -1) return ['type', `step ${merged + 1} already merges the Change.`];
  if (startsFromPullRequest || hasChange(before)) return undefined;
  return ['type', 'there is nothing to merge. Add an agent step with mode "change" and no condition before it.'];
}

function reviewViolation(steps: StepSpec[], at: number): Violation {
  const step = steps[at];
  if (step?.type !== 'agent' || step.reviews === undefined) return undefined;
  if (step.mode === 'change') return ['reviews', 'a step with "reviews" must have mode "report".'];
  const cycle = findReviewCycle(steps, step.name);
  if (cycle) return ['reviews', `the reviews form a cycle: ${cycle.join(' → ')}.`];
  const reviewedAt = steps.findIndex(({ name }) => name === step.reviews);
  const reviewed = steps[reviewedAt];
  if (!reviewed) return ['reviews', `there is no step "${step.reviews}".`];
  if (reviewedAt >= at) return ['reviews', `"${step.reviews}" does not come before it.`];
  if (!isChange(reviewed))
    return ['reviews', `"${step.reviews}" changes no code, so it cannot be repeated after a review.`];
  if (step.parallel !== undefined && reviewed.parallel === step.parallel) {
    return ['reviews', `"${step.reviews}" runs at the same time, in the group "${step.parallel}".`];
  }
  return undefined;
}

function groupViolation(steps: StepSpec[], at: number): Violation {
  const step = steps[at];
  if (step?.parallel === undefined) return undefined;
  if (step.type !== 'agent') return ['parallel', `a step of type "${step.type}" cannot run in parallel.`];
  const before = steps.slice(0, at);
  const inGroup = before.filter(({ parallel }) => parallel === step.parallel);
  if (inGroup.length > 0 && before.at(-1)?.parallel !== step.parallel) {
    return ['parallel', `the steps of the group "${step.parallel}" are not adjacent.`];
  }
  if (isChange(step) && inGroup.some(isChange)) {
    return ['parallel', `the group "${step.parallel}" has two steps that change code. Run one after the other.`];
  }
  return undefined;
}

/** Follows `reviews` from a step and returns the path if it leads back to that step. */
function findReviewCycle(steps: StepSpec[], start: string): string[] | undefined {
  const path = [start];
  for (;;) {
    const step = steps.find(({ name }) => name === path.at(-1));
    const next = step?.type === 'agent' ? step.reviews : undefined;
    if (next === undefined || (next !== start && path.includes(next))) return undefined;
    if (next === start) return path.length > 1 ? [...path, start] : undefined;
    path.push(next);
  }
}

/** The only condition is a merge conflict, which requires an agent step and a pull request before it. */
function conditionViolation(steps: StepSpec[], { at, startsFromPullRequest }: StepPosition): Violation {
  const step = steps[at];
  if (!step?.when) return undefined;
  if (step.type !== 'agent') return ['when', 'only an agent step can resolve conflicts.'];
  if (startsFromPullRequest || hasChange(steps.slice(0, at))) return undefined;
  return ['when', 'there is no pull request yet. Add an agent step with mode "change" and no condition before it.'];
}

function duplicateCriterionViolation(step: StepSpec): Violation {
  const criteria = step.type === 'agent' ? (step.criteria ?? []) : [];
  const duplicateAt = criteria.findIndex((criterion, at) => criteria.indexOf(criterion) !== at);
  return duplicateAt === -1 ? undefined : [`criteria/${duplicateAt}`, 'the criterion is a duplicate.'];
}

/** Only a report has a draft to deliver, and a comment requires an issue from every trigger. */
function deliverViolation(step: StepSpec, triggers: TriggerSpec[]): Violation {
  if (step.type !== 'agent' || step.deliver === undefined) return undefined;
  if (step.mode !== 'report') return ['deliver', 'only a step with mode "report" has a draft to deliver.'];
  if (step.reviews !== undefined) return ['deliver', 'a review has a verdict, not a draft.'];
  if (step.deliver === 'chat') return undefined;
  const other = triggers.map(triggerName).find((name) => !name.startsWith('issue.'));
  if (other === undefined) return undefined;
  return ['deliver', `a run that the trigger "${other}" starts has no issue to comment on.`];
}

const triggerName = (trigger: TriggerSpec): string => (trigger.type === 'event' ? trigger.event : trigger.type);

function labelsViolation(step: StepSpec): Violation {
  if (step.type !== 'agent' || step.removeLabels === undefined || step.deliver === 'issue') return undefined;
  return ['removeLabels', 'labels are removed from the issue that the step delivers to. Set deliver to "issue".'];
}
