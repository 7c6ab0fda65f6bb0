import {
  ApplicationFailure,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec, StepSpec } from '../../src/rules/agents/kinds.ts';
import type { Failure, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import type { RunPatch, StepPatch } from '../../src/rules/changes/run-patch.ts';
import { patchRunStatus, toActivePhase, isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { type AssertAuthentic, createDecisionGuard } from '../decision-guard.ts';
import { phaseAttribute } from '../start-attributes.ts';
import { serialQueue } from '../serial-queue.ts';
import { timestamp } from '../timestamp.ts';
import type { RunAgentWorkflowInput } from './messages.ts';

const { recordRun } = proxyLocalActivities<Activities>(storeOptions);
const { recordCommitters } = proxyActivities<Activities>(externalApiOptions);

/** The part of a failure that its step decides. */
type StepFailure = Pick<Failure, 'reason' | 'message' | 'fix'>;

/** The run's state in its workflow; every change is stored before the workflow acts on it. */
export class RunState {
  readonly ref: { org: string; run: string };
  readonly input: RunAgentWorkflowInput;
  readonly steps: StepSpec[];
  readonly roles: Record<string, AgentRoleSpec>;
  /** Steps that a person's guidance has resumed. */
  readonly guidedSteps: Set<string>;
  /** Steps whose agent starts over. */
  readonly restartedSteps: Set<string>;
  readonly assertAuthentic: AssertAuthentic;
  /** The number of times that a person has closed a pull request of the run. */
  closures = 0;
  #status: RunStatus;
  /** The head whose committers are known. */
  #knownHead: string | undefined;
  readonly #enqueue = serialQueue();

  constructor(
    input: RunAgentWorkflowInput,
    run: string,
    opened: { steps: StepSpec[]; roles: Record<string, AgentRoleSpec>; status: RunStatus },
  ) {
    this.input = input;
    this.ref = { org: input.org, run };
    this.guidedSteps = new Set(input.resume?.guidedSteps);
    this.restartedSteps = new Set(input.resume?.restartedSteps);
    this.steps = opened.steps;
    this.roles = opened.roles;
    this.#status = opened.status;
    this.assertAuthentic = createDecisionGuard(
      this.ref,
      async (refusedDecision) => await this.record({ refusedDecision }),
    );
  }

  get status(): RunStatus {
    return this.#status;
  }

  getStep(name: string): StepStatus {
    const step = this.#status.steps.find((candidate) => candidate.name === name);
    if (!step)
      throw ApplicationFailure.nonRetryable(`No step named "${name}" in the run "${this.ref.run}".`, 'not-found');
    return step;
  }

  async record(patch: RunPatch): Promise<void> {
    const { phase: before, baseBranch } = this.#status;
    const next = patchRunStatus(this.#status, patch);
    const phase = patch.phase ?? (isTerminalRunPhase(next.phase) ? next.phase : toActivePhase(next.steps));
    this.#status = { ...next, phase };
    // The pull request adds other commits to another base.
    if (baseBranch !== undefined && baseBranch !== next.baseBranch) this.#knownHead = undefined;
    setCurrentDetails(toDetailsTable(this.#status));
    if (phase !== before) upsertSearchAttributes([phaseAttribute(phase)]);
    await this.#enqueue(async () => await recordRun({ ...this.ref, patch: { ...patch, phase } }));
    if (patch.pullRequest && next.steps.some((step) => step.phase === 'Waiting')) await this.recordCommitters();
  }

  /** Finds who committed to the pull request. Until then, no person decides on it where the org prevents self-approval. */
  async recordCommitters(): Promise<void> {
    const headSha = this.#status.pullRequest?.headSha;
    if (headSha === undefined || headSha === this.#knownHead || !patched('committers')) return;
    await recordCommitters({ ...this.ref, headSha });
    this.#knownHead = headSha;
  }

  async recordStep(name: string, patch: Omit<StepPatch, 'name'>): Promise<void> {
    await this.record({ steps: [{ name, ...patch }] });
  }

  async failStep(name: string, failure: StepFailure): Promise<void> {
    await this.recordStep(name, {
      phase: 'Failed',
      failure: this.toFailure(name, failure),
      finishedAt: timestamp(),
      waitingFor: null,
      retrying: null,
    });
  }

  toFailure(step: string, failure: StepFailure): Failure {
    return { ...failure, resource: `step ${step} of run ${this.ref.run}`, at: timestamp() };
  }
}

/** Formats the steps as a table for the Temporal Web UI. */
function toDetailsTable({ phase, issue, pullRequest, steps }: RunStatus): string {
  const rows = steps.map(
    (step) =>
      `| ${step.name} | ${step.phase} | ${step.turns ?? ''} | ${step.waitingFor ? `waiting for a ${step.waitingFor.role}` : ''} |`,
  );
  const links = [
    issue && `[${issue.title}](${issue.url})`,
    pullRequest && `[pull request #${pullRequest.number}](${pullRequest.url})`,
  ];
  return [
    `**${phase}** ${links.filter(Boolean).join(' · ')}`,
    '',
    '| step | phase | turns | |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
