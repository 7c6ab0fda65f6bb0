import {
  ApplicationFailure,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec, StepSpec } from '../../src/rules/agents/kinds.ts';
import type { Failure, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import {
  type RunPatch,
  type StepPatch,
  patchRunStatus,
  phaseUnderWay,
  runEnded,
} from '../../src/rules/changes/run-status.ts';
import { store } from '../activity-options.ts';
import { inOrder } from '../in-order.ts';
import { phaseAttribute } from '../search-attributes.ts';
import type { RunAgentWorkflowInput } from './messages.ts';

const { recordRun } = proxyLocalActivities<Activities>(store);

export const timestamp = (): string => new Date().toISOString();

/** A run as its workflow knows it; every change is written to the store before anything is built on it. */
export class RunState {
  readonly ref: { org: string; run: string };
  readonly input: RunAgentWorkflowInput;
  readonly steps: StepSpec[];
  readonly roles: Record<string, AgentRoleSpec>;
  /** Steps that a person's guidance has set going again. */
  readonly guided: Set<string>;
  #status: RunStatus;
  readonly #inOrder = inOrder();

  constructor(
    input: RunAgentWorkflowInput,
    run: string,
    opened: { steps: StepSpec[]; roles: Record<string, AgentRoleSpec>; status: RunStatus },
  ) {
    this.input = input;
    this.ref = { org: input.org, run };
    this.guided = new Set(input.resume?.guided);
    this.steps = opened.steps;
    this.roles = opened.roles;
    this.#status = opened.status;
  }

  get status(): RunStatus {
    return this.#status;
  }

  step(name: string): StepStatus {
    const step = this.#status.steps.find((candidate) => candidate.name === name);
    if (!step)
      throw ApplicationFailure.nonRetryable(`No step named "${name}" in the run "${this.ref.run}".`, 'not-found');
    return step;
  }

  async record(patch: RunPatch): Promise<void> {
    const before = this.#status.phase;
    const next = patchRunStatus(this.#status, patch);
    const phase = patch.phase ?? (runEnded(next.phase) ? next.phase : phaseUnderWay(next.steps));
    this.#status = { ...next, phase };
    setCurrentDetails(details(this.#status));
    if (phase !== before) upsertSearchAttributes([phaseAttribute(phase)]);
    await this.#inOrder(async () => await recordRun({ ...this.ref, patch: { ...patch, phase } }));
  }

  async recordStep(name: string, patch: Omit<StepPatch, 'name'>): Promise<void> {
    await this.record({ steps: [{ name, ...patch }] });
  }

  async failStep(name: string, reason: string, fix: string): Promise<void> {
    const failure = this.failure(name, reason, fix);
    await this.recordStep(name, { phase: 'Failed', failure, finishedAt: timestamp(), waitingFor: null });
  }

  failure(step: string, reason: string, fix: string): Failure {
    return { reason, resource: `step ${step} of run ${this.ref.run}`, fix, at: timestamp() };
  }
}

/** A table for people who read the workflow in the Temporal Web UI. */
function details({ phase, issue, pullRequest, steps }: RunStatus): string {
  const rows = steps.map(
    (step) =>
      `| ${step.name} | ${step.phase} | ${step.turns ?? ''} | ${step.waitingFor ? `waits for a ${step.waitingFor.role}` : ''} |`,
  );
  const about = [
    issue && `[${issue.title}](${issue.url})`,
    pullRequest && `[pull request #${pullRequest.number}](${pullRequest.url})`,
  ];
  return [
    `**${phase}** ${about.filter(Boolean).join(' · ')}`,
    '',
    '| step | phase | turns | |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
