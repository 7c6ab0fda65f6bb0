import { z } from 'zod';
import { AgentRoleSpec, RunLimits, StepSpec } from '../agents/kinds.ts';
import { RefusedDecision } from '../access/refused-decision.ts';
import { failureReasons } from '../failure-reasons.ts';
import { RepoName, Timestamp } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { RunDecision, StepRound } from './run-records.ts';

export const runPhases = [
  'Pending',
  'Running',
  'WaitingForPerson',
  'NeedsGuidance',
  'Succeeded',
  'Failed',
  'Cancelled',
] as const;
export type RunPhase = (typeof runPhases)[number];

export const stepPhases = [
  'Pending',
  'Running',
  'Waiting',
  'NeedsGuidance',
  'Succeeded',
  'Failed',
  'Skipped',
  'Rejected',
  'Cancelled',
] as const;
export type StepPhase = (typeof stepPhases)[number];

/** An error, the resource that it affects, and how a person can fix it. */
export const Failure = z.object({
  reason: z.enum(failureReasons).describe('Machine-readable reason of the failure.'),
  message: z.string().describe('What went wrong.'),
  resource: z.string().describe('Resource that the failure affects.'),
  fix: z.string().describe('What a person can do to fix it.'),
  at: Timestamp.describe('Time of the failure.'),
});
export type Failure = z.infer<typeof Failure>;

/** The result of an agent's step: a judgement of its own work (`done`) or of the work that it reviews. */
export const Verdict = z.object({
  outcome: z
    .enum(['done', 'approved', 'changes-requested', 'needs-guidance'])
    .describe(
      'Result of the step: `done` for the agent’s own work; `approved` or `changes-requested` for work that it reviewed; `needs-guidance` if it cannot continue without a person.',
    ),
  summary: z.string().max(4000).describe('Summary of the result in the agent’s words.'),
  reason: z.enum(failureReasons).optional().describe('Set when a limit or a budget, not the agent, asks for guidance.'),
  criteria: z
    .array(
      z.object({
        criterion: z.string().describe('Text of the success criterion.'),
        met: z.boolean().describe('Whether the work meets the criterion.'),
        note: z.string().max(300).describe('Why the agent judges so.'),
      }),
    )
    .optional()
    .describe('One entry per success criterion of the step.'),
});
export type Verdict = z.infer<typeof Verdict>;

export const Usage = z.object({
  inputTokens: z.int().describe('Number of input tokens, including the cached ones.'),
  outputTokens: z.int().describe('Number of output tokens.'),
  cachedInputTokens: z.int().optional().describe('Part of the input tokens that the provider served from its cache.'),
  costMicroUsd: z.int().optional().describe('Cost in millionths of a US dollar.'),
  seconds: z.number().optional().describe('Time that the model and the tools took, in seconds.'),
  costUnknown: z
    .literal(true)
    .optional()
    .describe('Set when some of the usage has no known price and is missing from the cost.'),
});
export type Usage = z.infer<typeof Usage>;

/** A file by which an agent shows its work; `artifact` is a pointer such as `artifact:<id>`. */
export const Evidence = z.object({
  artifact: z.string().describe('Pointer to the file, such as `artifact:<id>`.'),
  name: z.string().describe('File name.'),
  type: z.string().describe('Media type of the file.'),
  sizeBytes: z.int().describe('Size of the file in bytes.'),
});
export type Evidence = z.infer<typeof Evidence>;

/** A file that was not stored as evidence, with the reason. */
export const SkippedEvidence = z.object({
  name: z.string().describe('File name.'),
  reason: z.string().describe('Why the file was not stored.'),
});
export type SkippedEvidence = z.infer<typeof SkippedEvidence>;

/** The place where a step's draft was posted; `error` says why it was not posted, or what a person must still do. */
export const DraftPost = z.object({
  to: z.string().describe('Destination of the post.'),
  url: z.string().optional().describe('URL of the post.'),
  error: z.string().optional().describe('Why the draft was not posted, or what a person must still do.'),
});
export type DraftPost = z.infer<typeof DraftPost>;

/** A wait of an agent's step for a system that is unavailable, with the number of failed attempts. */
export const StepRetry = z.object({
  message: z.string().describe('Why the last attempt failed.'),
  attempt: z.int().describe('Number of failed attempts.'),
  nextAt: Timestamp.describe('Time of the next attempt.'),
});
export type StepRetry = z.infer<typeof StepRetry>;

/** The person or system that a step or promotion waits for. */
export const WaitingFor = z.object({
  role: z
    .string()
    .describe(
      'Minimum role of the person who can act; `codehost` while required checks run or the code host does not respond, `cluster` while the cluster of the zone does not respond.',
    ),
  since: Timestamp.describe('Time at which the wait began.'),
  message: z.string().optional().describe('What the person must decide or do, or what is missing.'),
  until: Timestamp.optional().describe('Time at which the wait ends in a failure.'),
});
export type WaitingFor = z.infer<typeof WaitingFor>;

export const StepStatus = z.object({
  name: z.string().describe('Name of the step.'),
  phase: z.enum(stepPhases).describe('Phase of the step.'),
  startedAt: Timestamp.optional().describe('Time at which the step started.'),
  finishedAt: Timestamp.optional().describe('Time at which the step finished.'),
  turns: z.int().optional().describe('Number of turns that the agent has taken in all rounds.'),
  reviewRounds: z.int().optional().describe('Number of times that reviews repeated this step.'),
  verdict: Verdict.optional().describe('Result of an agent’s step.'),
  usage: Usage.optional().describe('Tokens and cost of the step.'),
  evidence: z.array(Evidence).optional().describe('Files by which the agent shows its work.'),
  skippedEvidence: z.array(SkippedEvidence).optional().describe('Files that were not stored as evidence.'),
  posts: z.array(DraftPost).optional().describe('Places where the draft of the step was posted.'),
  decision: z
    .object({
      by: z.string().describe('E-mail address of the person who decided.'),
      role: z.string().describe('Role of the person in the org.'),
      outcome: z.enum(['approved', 'rejected']).describe('The decision.'),
      headSha: z.string().optional().describe('Commit that was reviewed.'),
      note: z.string().optional().describe('Note of the person.'),
      at: Timestamp.describe('Time of the decision.'),
      proof: z.string().optional().describe('The decision as the API signed it.'),
    })
    .optional()
    .describe('Decision of a person, with the commit that they reviewed.'),
  guidance: z
    .object({
      by: z.string().describe('E-mail address of the person who answered.'),
      outcome: z.enum(['guided', 'retried']).describe('`retried` if the agent continues without guidance.'),
      at: Timestamp.describe('Time of the answer.'),
    })
    .optional()
    .describe('How a person answered the last question of the agent; absent until then.'),
  waitingFor: WaitingFor.optional().describe('What the step waits for; absent if it does not wait.'),
  retrying: StepRetry.optional().describe('Set while the step waits before its next attempt.'),
  failure: Failure.optional().describe('Failure of the step.'),
  rounds: z.array(StepRound).optional().describe('Rounds of the step, oldest first; the newest 30 are kept.'),
});
export type StepStatus = z.infer<typeof StepStatus>;

export const RunTarget = z.strictObject({
  repo: RepoName.describe('Repo of the issue or pull request.'),
  number: z.int().min(1).describe('Number of the issue or pull request.'),
  kind: z
    .enum(['issue', 'pull-request'])
    .optional()
    .describe('Defaults to `issue`; a run with a pull request commits to that pull request.'),
});
export type RunTarget = z.infer<typeof RunTarget>;

/** The code host event that started a run. */
export const RunCause = z.strictObject({
  event: z.string().describe('Event of the code host, such as `issue.labeled`.'),
  label: z.string().optional().describe('Label that the event added.'),
  labels: z.array(z.string()).describe('All labels of the issue or pull request at the time of the event.'),
  people: z
    .array(z.string())
    .optional()
    .describe('Accounts on the code host that sent the event and that wrote the issue or pull request, without bots.'),
  at: Timestamp.describe('Time of the event.'),
});
export type RunCause = z.infer<typeof RunCause>;

export const RunSpec = z.strictObject({
  agentWorkflow: z.string().describe('AgentWorkflow that the run executes.'),
  product: z.string().describe('Product that the run works on.'),
  target: RunTarget.optional().describe('Issue or pull request of the run.'),
  release: z
    .strictObject({
      name: z.string().describe('Name of the Release.'),
      version: z.string().describe('Version of the Release.'),
      repo: RepoName.describe('Repo that was tagged.'),
    })
    .optional()
    .describe('Release whose tag started the run.'),
  repo: RepoName.optional().describe(
    'Repo of a run without a target and a Release: the first one of the Product at the start of the run.',
  ),
  instructions: z.string().max(20_000).optional().describe('Task of a run without an issue.'),
  startedBy: z.string().describe('E-mail address of the person who started the run, or the trigger that started it.'),
  cause: RunCause.optional().describe('Code host event that started the run.'),
  steps: z
    .array(StepSpec)
    .describe('Copies of the steps from the start of the run, so that later edits do not affect it.'),
  roles: z.record(z.string(), AgentRoleSpec).describe('Copies of the AgentRoles from the start of the run, by name.'),
  limits: RunLimits.optional().describe('Limits of the run.'),
});
export type RunSpec = z.infer<typeof RunSpec>;

export const RunCommitters = z.object({
  headSha: z.string().describe('Head commit that they were found for.'),
  logins: z.array(z.string()).describe('Accounts of the authors and committers, and of those who pushed the commits.'),
  hasUnknown: z.boolean().describe('Whether the code host does not say who made or pushed a commit.'),
});
export type RunCommitters = z.infer<typeof RunCommitters>;

export const RunStatus = z.object({
  phase: z.enum(runPhases).describe('Phase of the run.'),
  startedAt: Timestamp.optional().describe('Time at which the run started.'),
  finishedAt: Timestamp.optional().describe('Time at which the run finished.'),
  branch: z.string().optional().describe('Branch of the run in the Product’s repo, such as `service/<run>`.'),
  baseBranch: z.string().optional().describe('Branch that the run merges into.'),
  issue: z
    .object({
      title: z.string().describe('Title.'),
      url: z.string().describe('URL of the issue or pull request at the code host.'),
      author: z.string().optional().describe('Account of the author at the code host.'),
    })
    .optional()
    .describe('Issue or pull request of the run, as the code host describes it.'),
  pullRequest: z
    .object({
      number: z.int().describe('Number of the pull request.'),
      url: z.string().describe('URL of the pull request at the code host.'),
      headSha: z
        .string()
        .describe('Head commit of the pull request. Send it to `approveStep` to approve exactly this commit.'),
    })
    .optional()
    .describe('Pull request of the run.'),
  committers: RunCommitters.optional().describe(
    'Accounts on the code host behind the commits of the pull request that the agents of the run did not make.',
  ),
  mergeCommit: z.string().optional().describe('Commit that the merge created on the base branch.'),
  mergedAt: Timestamp.optional().describe('Time of the merge.'),
  conflictRounds: z.int().optional().describe('Number of times that an agent resolved merge conflicts.'),
  refusedDecision: RefusedDecision.optional().describe(
    'Last decision that was refused, because it was not made through the API.',
  ),
  guidedBy: z.array(z.string()).optional().describe('People whose guidance an agent has followed.'),
  cancelledBy: z
    .object({
      by: z.string().describe('E-mail address of the person who cancelled the run.'),
      at: Timestamp.describe('Time of the cancellation.'),
    })
    .optional()
    .describe('Person who cancelled the run.'),
  decisions: z
    .array(RunDecision)
    .optional()
    .describe('Decisions of people about the run, oldest first; the newest 100 are kept.'),
  steps: z.array(StepStatus).describe('Status of each step, in order.'),
  failure: Failure.optional().describe('Failure that ended the run.'),
  conditions: Conditions,
});
export type RunStatus = z.infer<typeof RunStatus>;

export const AgentWorkflowRunKind = defineResource({
  kind: 'AgentWorkflowRun',
  plural: 'agentworkflowruns',
  spec: RunSpec,
  status: RunStatus,
  selectableFields: ['spec.product', 'spec.agentWorkflow', 'spec.target.repo', 'spec.target.number', 'status.phase'],
  crd: {
    // People also know a run as a Change.
    shortNames: ['change', 'changes'],
    printerColumns: [
      { name: 'Workflow', path: '.spec.agentWorkflow' },
      { name: 'Product', path: '.spec.product' },
      { name: 'Phase', path: '.status.phase' },
      { name: 'Issue', path: '.spec.target.number', type: 'integer' },
      { name: 'Title', path: '.status.issue.title' },
      { name: 'Started by', path: '.spec.startedBy', wide: true },
      { name: 'Pull request', path: '.status.pullRequest.url', wide: true },
      { name: 'Failure', path: '.status.failure.message', wide: true },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; start another run' }],
  },
});
export type AgentWorkflowRun = ResourceOf<typeof AgentWorkflowRunKind>;
