import type { Activities } from '../../../activities/index.ts';
import type { RunAgentTurnInput, TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import type { PullRequestFacts } from '../../../activities/changes/change-activities.ts';
import { defaultRoles, changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import type { AgentRoleSpec, StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { RunStatus, StepStatus, Verdict } from '../../../src/rules/changes/kinds.ts';
import { createRunStatus, patchRunStatus } from '../../../src/rules/changes/run-status.ts';
import {
  type StepDecision,
  type RunAgentWorkflowInput,
  runAgentWorkflowStart,
} from '../../../workflows/changes/messages.ts';
import type { WorkflowHarness } from './workflow-harness.ts';

export type ChangeFixtureOptions = {
  steps?: StepSpec[];
  roles?: Record<string, AgentRoleSpec>;
  /** Replaces the agent's turn, which succeeds by default. */
  turn?: (input: RunAgentTurnInput, change: ChangeFixture) => TurnOutcome | Promise<TurnOutcome>;
};

/** Fakes the store and the code host for one run; every activity succeeds unless a test changes it. */
export class ChangeFixture {
  readonly activities: Partial<Activities>;
  /** The pull request on the code host; tests change it like other users. */
  pullRequest: PullRequestFacts = {
    number: 8,
    url: 'http://host/pulls/8',
    headSha: '',
    state: 'open',
    mergeable: 'yes',
    baseBranch: 'main',
  };
  isReady = false;
  isBranchDeleted = false;
  #run = '';
  #status: RunStatus | undefined;

  constructor({ steps = changeAgentWorkflow.steps, roles = defaultRoles, turn }: ChangeFixtureOptions = {}) {
    this.activities = {
      openRun: async ({ run }) => {
        this.#run = run;
        this.#status ??= createRunStatus(steps, new Date().toISOString());
        return { steps, roles, status: this.#status };
      },
      recordRun: async ({ patch }) => void (this.#status = patchRunStatus(this.status, patch)),
      recordCommitters: async ({ headSha }) =>
        void (this.#status = { ...this.status, committers: { headSha, logins: [], hasUnknown: false } }),
      readTarget: async () => ({ title: 'Greet by name', url: 'http://host/issues/7', author: 'ada' }),
      readRunRepo: async () => 'acme/hello',
      runAgentTurn: async (input) => (turn ? await turn(input, this) : this.successfulTurn(input)),
      openPullRequest: async () => this.pullRequest,
      readPullRequest: async () => this.pullRequest,
      markPullRequestReady: async () => {
        this.isReady = true;
        return this.pullRequest;
      },
      mergePullRequest: async () => ({ outcome: 'merged', commit: 'c0ffee' }),
      closePullRequest: async () => void (this.pullRequest = { ...this.pullRequest, state: 'closed' }),
      deleteRunBranch: async () => void (this.isBranchDeleted = true),
      // The Release of the merge is not under test, so it finishes without zones.
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', uid: 'u1', zones: [] }),
      recordRelease: async () => {},
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
      findReleaseTriggers: async () => [],
    };
  }

  get run(): string {
    return this.#run;
  }

  get status(): RunStatus {
    if (!this.#status) throw new Error('The run has not started.');
    return this.#status;
  }

  /** The phase of the run, or of one of its steps. */
  phase(step?: string): string | undefined {
    return step === undefined ? this.#status?.phase : this.#status && this.step(step).phase;
  }

  step(name: string): StepStatus {
    const step = this.status.steps.find((candidate) => candidate.name === name);
    if (!step) throw new Error(`No step named ${name}.`);
    return step;
  }

  /** Pushes a new commit to the branch and returns its sha. */
  push(headSha: string): string {
    this.pullRequest = { ...this.pullRequest, headSha };
    return headSha;
  }

  /** Succeeds: an implementer commits and finishes, a reviewer approves. */
  successfulTurn({ step, turn }: RunAgentTurnInput): TurnOutcome {
    return step.startsWith('review')
      ? buildTurnOutcome('approved')
      : { ...buildTurnOutcome('done'), headSha: this.push(`head-${turn}`) };
  }
}

export function buildTurnOutcome(outcome: Verdict['outcome'], summary = `The outcome is ${outcome}.`): TurnOutcome {
  return { done: true, verdict: { outcome, summary }, usage: { inputTokens: 100, outputTokens: 10 }, changed: false };
}

/** Builds the input of a run on an issue. */
export const buildChangeInput = (org: string): RunAgentWorkflowInput => ({
  org,
  agentWorkflow: 'change',
  product: 'hello',
  target: { repo: 'acme/hello', number: 7 },
  startedBy: 'ada',
  intervals: { pollIntervalMs: 1, turnRetryMs: 1 },
});

export const startChange = async (harness: WorkflowHarness, input = buildChangeInput(harness.taskQueue)) =>
  await harness.start(runAgentWorkflowStart(input));

/** Builds the arguments of a decision by the member bob. */
export const buildDecision = (change: ChangeFixture, more: Partial<StepDecision> = {}): [StepDecision] => [
  { run: change.run, step: 'approve-change', by: 'bob', role: 'member', ...more },
];
