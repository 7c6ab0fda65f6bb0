import type { FieldError } from '../../errors.ts';
import { checkCron } from '../scheduling/check-cron.ts';
import type { ToolName } from './tools.ts';
import type { AgentRoleSpec, AgentWorkflowSpec, StepSpec, TriggerSpec } from './kinds.ts';

export type Roles = ReadonlyMap<string, Pick<AgentRoleSpec, 'tools'>>;

/** Why an AgentWorkflow could not run, field by field; nothing when it can. */
export function validateAgentWorkflow({ steps, triggers }: AgentWorkflowSpec, roles: Roles): FieldError[] {
  // A run that was given a pull request has a change from its first step on.
  const given = triggers.some(({ type }) => pullRequestTriggers.has(type));
  const ofTriggers = triggers.flatMap((trigger, at) => {
    if (trigger.type !== 'event' || trigger.event !== 'release.cut' || trigger.labels === undefined) return [];
    return [{ pointer: `/spec/triggers/${at}/labels`, detail: 'A Release has no labels. Leave them out.' }];
  });
  const ofSteps = steps.flatMap((step, at) => {
    const checks = [
      roleProblem(step, roles),
      nameProblem(steps, at),
      mergeProblem(steps, { at, given }),
      reviewProblem(steps, at),
      groupProblem(steps, at),
      conditionProblem(steps, { at, given }),
      criteriaProblem(step),
      deliveryProblem(step, triggers),
      labelsProblem(step),
    ];
    return checks.flatMap((found) => {
      if (!found) return [];
      const [field, detail] = found;
      return [{ pointer: `/spec/steps/${at}/${field}`, detail: `Step "${step.name}": ${detail}` }];
    });
  });
  return [...ofTriggers, ...ofSteps, ...triggers.flatMap(scheduleProblem)];
}

function scheduleProblem(trigger: TriggerSpec, at: number): FieldError[] {
  const detail = trigger.type === 'cron' ? checkCron(trigger.schedule) : undefined;
  return detail === undefined ? [] : [{ pointer: `/spec/triggers/${at}/schedule`, detail }];
}

type Problem = [field: string, detail: string] | undefined;

const changingTools = new Set<ToolName>(['edit_file', 'write_file', 'delete_file', 'run_command']);

const pullRequestTriggers = new Set<string>(['onChange']);
type Place = { at: number; given: boolean };

/** Something that a pull request can be opened for. */
const hasChange = (steps: StepSpec[]): boolean => steps.some((step) => isChange(step) && !step.when);

const isChange = (step: StepSpec | undefined): boolean => step?.type === 'agent' && step.mode === 'change';

function roleProblem(step: StepSpec, roles: Roles): Problem {
  if (step.type !== 'agent') return undefined;
  const role = roles.get(step.role);
  if (!role) return ['role', `the org has no AgentRole "${step.role}". Create it first, or name another.`];
  if (step.mode === 'report' || !role.tools || role.tools.some((tool) => changingTools.has(tool))) return undefined;
  return ['role', `the AgentRole "${step.role}" has no tool to change code with. Give it one, or name another.`];
}

function nameProblem(steps: StepSpec[], at: number): Problem {
  const first = steps.findIndex(({ name }) => name === steps[at]?.name);
  return first === at ? undefined : ['name', `the name is taken by step ${first + 1}. Give each step its own.`];
}

function mergeProblem(steps: StepSpec[], { at, given }: Place): Problem {
  const before = steps.slice(0, at);
  const merged = before.findIndex(
    (step, index) => step.type === 'merge' && (given || hasChange(steps.slice(0, index))),
  );
  const step = steps[at];
  if (merged !== -1 && isChange(step))
    return ['mode', `it comes after the merge, so nobody would get what it changes.`];
  if (step?.type !== 'merge') return undefined;
  if (merged !== -1) return ['type', `the Change is merged by step ${merged + 1} already.`];
  if (given || hasChange(before)) return undefined;
  return ['type', 'there is nothing to merge. Put an agent step with mode "change" and no condition before it.'];
}

function reviewProblem(steps: StepSpec[], at: number): Problem {
  const step = steps[at];
  if (step?.type !== 'agent' || step.reviews === undefined) return undefined;
  if (step.mode === 'change') return ['reviews', 'a step that reviews has mode "report".'];
  const circle = circleOf(steps, step.name);
  if (circle) return ['reviews', `the reviews go in a circle: ${circle.join(' → ')}.`];
  const reviewedAt = steps.findIndex(({ name }) => name === step.reviews);
  const reviewed = steps[reviewedAt];
  if (!reviewed) return ['reviews', `there is no step "${step.reviews}".`];
  if (reviewedAt >= at) return ['reviews', `"${step.reviews}" does not come before it.`];
  if (!isChange(reviewed)) return ['reviews', `"${step.reviews}" changes no code, so there is nothing to send back.`];
  if (step.parallel !== undefined && reviewed.parallel === step.parallel) {
    return ['reviews', `"${step.reviews}" runs at the same time, in the group "${step.parallel}".`];
  }
  return undefined;
}

function groupProblem(steps: StepSpec[], at: number): Problem {
  const step = steps[at];
  if (step?.parallel === undefined) return undefined;
  if (step.type !== 'agent') return ['parallel', `a ${step.type} step runs alone.`];
  const before = steps.slice(0, at);
  const inGroup = before.filter(({ parallel }) => parallel === step.parallel);
  if (inGroup.length > 0 && before.at(-1)?.parallel !== step.parallel) {
    return ['parallel', `the steps of the group "${step.parallel}" are not next to each other.`];
  }
  if (isChange(step) && inGroup.some(isChange)) {
    return ['parallel', `the group "${step.parallel}" has two steps that change code. Let one follow the other.`];
  }
  return undefined;
}

/** The reviews that lead from a step back to it, by way of others. */
function circleOf(steps: StepSpec[], start: string): string[] | undefined {
  const path = [start];
  for (;;) {
    const step = steps.find(({ name }) => name === path.at(-1));
    const next = step?.type === 'agent' ? step.reviews : undefined;
    if (next === undefined || (next !== start && path.includes(next))) return undefined;
    if (next === start) return path.length > 1 ? [...path, start] : undefined;
    path.push(next);
  }
}

/** The one condition there is, a conflict, takes an agent that sees to it and a pull request that can have it. */
function conditionProblem(steps: StepSpec[], { at, given }: Place): Problem {
  const step = steps[at];
  if (!step?.when) return undefined;
  if (step.type !== 'agent') return ['when', 'only an agent step can see to conflicts.'];
  if (given || hasChange(steps.slice(0, at))) return undefined;
  return ['when', 'there is no pull request yet. Put an agent step with mode "change" and no condition before it.'];
}

function criteriaProblem(step: StepSpec): Problem {
  const criteria = step.type === 'agent' ? (step.criteria ?? []) : [];
  const twice = criteria.findIndex((criterion, at) => criteria.indexOf(criterion) !== at);
  return twice === -1 ? undefined : [`criteria/${twice}`, 'the criterion is there already.'];
}

/** What is delivered is a report's draft; a comment needs an issue, which every trigger then has to bring. */
function deliveryProblem(step: StepSpec, triggers: TriggerSpec[]): Problem {
  if (step.type !== 'agent' || step.deliver === undefined) return undefined;
  if (step.mode !== 'report') return ['deliver', 'only a step with mode "report" has a draft to deliver.'];
  if (step.reviews !== undefined) return ['deliver', 'a review ends with a verdict, not with a draft.'];
  if (step.deliver === 'chat') return undefined;
  const other = triggers.map(nameOf).find((name) => !name.startsWith('issue.'));
  if (other === undefined) return undefined;
  return ['deliver', `a run that the trigger "${other}" starts has no issue to comment on.`];
}

const nameOf = (trigger: TriggerSpec): string => (trigger.type === 'event' ? trigger.event : trigger.type);

function labelsProblem(step: StepSpec): Problem {
  if (step.type !== 'agent' || step.removeLabels === undefined || step.deliver === 'issue') return undefined;
  return ['removeLabels', 'labels are taken from the issue that the step delivers to. Set deliver to "issue".'];
}
