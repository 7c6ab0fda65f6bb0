import type { AgentWorkflowRun, StepStatus } from '../changes/kinds.ts';
import { type Explanation, toFacts, toFailedExplanation } from './explanation.ts';

/** Explains what a run waits for, why it failed, or which step is in progress. */
export function explainRun({ spec, status }: AgentWorkflowRun): Explanation[] {
  const { phase = 'Pending', startedAt, finishedAt, failure, refusedDecision } = status ?? {};
  const target = spec.target && `${spec.target.repo}#${spec.target.number}`;
  const facts = toFacts({ phase, agentWorkflow: spec.agentWorkflow, target, startedAt, finishedAt });
  const steps = (status?.steps ?? []).flatMap((step) => explainStep(step) ?? []);
  if (steps.length > 0) return steps.map((step) => ({ ...step, facts: [...facts, ...step.facts] }));
  if (failure) return [toFailedExplanation(failure, facts)];
  const refused = refusedDecision ? ' A decision was refused, because it was not made through the API.' : '';
  const state = phase === 'Succeeded' ? 'done' : finishedAt === undefined ? 'running' : 'nothing';
  return [{ state, rule: `run-${phase}`, message: `The run is ${phase}.${refused}`, facts }];
}

function explainStep({
  name: step,
  phase,
  failure,
  waitingFor,
  retrying,
  verdict,
  startedAt,
}: StepStatus): Explanation | undefined {
  if (phase === 'Failed' && failure) return toFailedExplanation(failure, toFacts({ step }));
  if (phase === 'NeedsGuidance')
    return {
      state: 'waiting',
      rule: verdict?.reason ?? 'needs-guidance',
      message: waitingFor?.message ?? verdict?.summary ?? 'The agent asks for guidance.',
      facts: toFacts({ step, role: waitingFor?.role ?? 'member', since: waitingFor?.since }),
      fix: 'Give guidance on the run page, or cancel the run.',
    };
  if (waitingFor)
    return {
      state: 'waiting',
      rule: waitingFor.role === 'codehost' ? 'codehost-rules' : 'person',
      message: waitingFor.message ?? `The step waits for a person with the role ${waitingFor.role}.`,
      facts: toFacts({ step, role: waitingFor.role, since: waitingFor.since, until: waitingFor.until }),
      ...(phase === 'Waiting' && { fix: 'Approve or reject the step on the run page.' }),
    };
  if (retrying)
    return {
      state: 'waiting',
      rule: 'retrying',
      message: retrying.message,
      facts: toFacts({ step, attempts: retrying.attempt, nextAt: retrying.nextAt }),
    };
  if (phase === 'Running')
    return {
      state: 'running',
      rule: 'step-running',
      message: `The step "${step}" is in progress.`,
      facts: toFacts({ step, startedAt }),
    };
  return undefined;
}
