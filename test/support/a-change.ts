import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { Activities } from '../../activities/index.ts';
import type { AgentTurn, TurnOutcome } from '../../activities/agents.ts';
import type { PullRequestFacts } from '../../activities/changes.ts';
import { catalogRoles, changeAgentWorkflow } from '../../src/rules/agents/catalog.ts';
import type { AgentRoleSpec, StepSpec } from '../../src/rules/agents/kinds.ts';
import type { RunStatus, StepStatus, Verdict } from '../../src/rules/changes/kinds.ts';
import { newRunStatus, patchRunStatus } from '../../src/rules/changes/run-status.ts';
import {
  type Decision,
  type RunAgentWorkflowInput,
  runAgentWorkflowId,
  runSummary,
} from '../../workflows/changes/messages.ts';
import type { runAgentWorkflow } from '../../workflows/index.ts';
import type { WorkflowWorld } from './workflow-world.ts';

export type ChangeOptions = {
  steps?: StepSpec[];
  roles?: Record<string, AgentRoleSpec>;
  /** What an agent does in a turn, instead of doing well at once. */
  turn?: (input: AgentTurn, change: AChange) => TurnOutcome | Promise<TurnOutcome>;
};

/** One run as a store and a code host would know it, where all goes well unless a test says otherwise. */
export class AChange {
  readonly activities: Partial<Activities>;
  /** The pull request on the code host; tests change it as other people would. */
  pull: PullRequestFacts = { number: 8, url: 'http://host/pulls/8', headSha: '', state: 'open', mergeable: 'yes' };
  ready = false;
  branchDeleted = false;
  #run = '';
  #status: RunStatus | undefined;

  constructor({ steps = changeAgentWorkflow.steps, roles = catalogRoles, turn }: ChangeOptions = {}) {
    this.activities = {
      openRun: async ({ run }) => {
        this.#run = run;
        this.#status ??= newRunStatus(steps, new Date().toISOString());
        return { steps, roles, status: this.#status };
      },
      recordRun: async ({ patch }) => void (this.#status = patchRunStatus(this.status, patch)),
      readTarget: async () => ({ title: 'Greet by name', url: 'http://host/issues/7', author: 'ada' }),
      readRunRepo: async () => 'acme/hello',
      agentTurn: async (input) => (turn ? await turn(input, this) : this.goodTurn(input)),
      openPullRequest: async () => this.pull,
      readPullRequest: async () => this.pull,
      markPullRequestReady: async () => {
        this.ready = true;
        return this.pull;
      },
      mergePullRequest: async () => ({ outcome: 'merged', commit: 'c0ffee' }),
      closePullRequest: async () => void (this.pull = { ...this.pull, state: 'closed' }),
      deleteRunBranch: async () => void (this.branchDeleted = true),
      // The Release of the merge is another story: it ends at once.
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', zones: [] }),
      recordRelease: async () => {},
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
      matchReleaseCut: async () => [],
    };
  }

  get run(): string {
    return this.#run;
  }

  get status(): RunStatus {
    if (!this.#status) throw new Error('The run is not open yet.');
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

  /** The branch has a new commit, by an agent or by somebody else. */
  push(headSha: string): string {
    this.pull = { ...this.pull, headSha };
    return headSha;
  }

  /** An implementer commits and is done, a reviewer approves. */
  goodTurn({ step, turn }: AgentTurn): TurnOutcome {
    return step.startsWith('review') ? ended('approved') : { ...ended('done'), headSha: this.push(`head-${turn}`) };
  }
}

export function ended(outcome: Verdict['outcome'], summary = `It is ${outcome}.`): TurnOutcome {
  return { done: true, verdict: { outcome, summary }, usage: { inputTokens: 100, outputTokens: 10 }, changed: false };
}

/** A start for an issue of an org of its own. */
export const changeInput = (org: string): RunAgentWorkflowInput => ({
  org,
  agentWorkflow: 'change',
  product: 'hello',
  target: { repo: 'acme/hello', number: 7 },
  startedBy: 'ada',
  pace: { lookAgainMs: 1 },
});

export const startChange = async (
  world: WorkflowWorld,
  input = changeInput(world.taskQueue),
): Promise<WorkflowHandleWithFirstExecutionRunId<typeof runAgentWorkflow>> =>
  await world.start('runAgentWorkflow', input, { workflowId: runAgentWorkflowId(input), ...runSummary(input) });

/** What bob, a member, says of the Change. */
export const decisionOn = (change: AChange, more: Partial<Decision> = {}): [Decision] => [
  { run: change.run, step: 'approve-change', by: 'bob', role: 'member', ...more },
];
