import type { FieldError } from '../../errors.ts';
import type { AgentWorkflowSpec, StepSpec } from './kinds.ts';

/** Why an AgentWorkflow could not run, field by field; nothing when it can. */
export function validateAgentWorkflow({ steps }: AgentWorkflowSpec, roles: ReadonlySet<string>): FieldError[] {
  return steps.flatMap((step, at) => {
    const checks = [
      roleProblem(step, roles),
      nameProblem(steps, at),
      mergeProblem(steps, at),
      reviewProblem(steps, at),
      groupProblem(steps, at),
    ];
    return checks.flatMap((found) => {
      if (!found) return [];
      const [field, detail] = found;
      return [{ pointer: `/spec/steps/${at}/${field}`, detail: `Step "${step.name}": ${detail}` }];
    });
  });
}

type Problem = [field: string, detail: string] | undefined;

const isChange = (step: StepSpec | undefined): boolean => step?.type === 'agent' && step.mode === 'change';

function roleProblem(step: StepSpec, roles: ReadonlySet<string>): Problem {
  if (step.type !== 'agent' || roles.has(step.role)) return undefined;
  return ['role', `the org has no AgentRole "${step.role}". Create it first, or name another.`];
}

function nameProblem(steps: StepSpec[], at: number): Problem {
  const first = steps.findIndex(({ name }) => name === steps[at]?.name);
  return first === at ? undefined : ['name', `the name is taken by step ${first + 1}. Give each step its own.`];
}

function mergeProblem(steps: StepSpec[], at: number): Problem {
  if (steps[at]?.type !== 'merge' || steps.slice(0, at).some((step) => isChange(step) && !step.when)) return undefined;
  return ['type', 'there is nothing to merge. Put an agent step with mode "change" and no condition before it.'];
}

function reviewProblem(steps: StepSpec[], at: number): Problem {
  const step = steps[at];
  if (step?.type !== 'agent' || step.reviews === undefined) return undefined;
  if (step.mode === 'change') return ['reviews', 'a step that reviews has mode "report".'];
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
