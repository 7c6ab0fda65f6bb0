import { z } from 'zod';
import { AgentRoleSpec, RunLimits, StepSpec } from '../agents/kinds.ts';
import { RefusedDecision } from '../access/refused-decision.ts';
import { failureReasons } from '../failure-reasons.ts';
import { RepoName, Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

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
  reason: z.enum(failureReasons),
  message: z.string(),
  resource: z.string(),
  fix: z.string(),
  at: Timestamp,
});
export type Failure = z.infer<typeof Failure>;

/** The result of an agent's step: a judgement of its own work (`done`) or of the work that it reviews. */
export const Verdict = z.object({
  outcome: z.enum(['done', 'approved', 'changes-requested', 'needs-guidance']),
  summary: z.string().max(4000),
  /** Set when a limit or a budget, not the agent, asks for guidance. */
  reason: z.enum(failureReasons).optional(),
  /** One entry per success criterion of the step. */
  criteria: z.array(z.object({ criterion: z.string(), met: z.boolean(), note: z.string().max(300) })).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** The part of the input tokens that the provider served from its cache. */
  cachedInputTokens: z.int().optional(),
  /** The cost in millionths of a dollar. */
  costMicroUsd: z.int().optional(),
  /** Set when some of the usage has no known price and is missing from the cost. */
  costUnknown: z.literal(true).optional(),
});
export type Usage = z.infer<typeof Usage>;

/** A file by which an agent shows its work; `artifact` is a pointer such as `artifact:<id>`. */
export const Evidence = z.object({ artifact: z.string(), name: z.string(), type: z.string(), sizeBytes: z.int() });
export type Evidence = z.infer<typeof Evidence>;

/** A file that was not stored as evidence, with the reason. */
export const SkippedEvidence = z.object({ name: z.string(), reason: z.string() });
export type SkippedEvidence = z.infer<typeof SkippedEvidence>;

/** The place where a step's draft was posted; `error` says why it was not posted, or what a person must still do. */
export const DraftPost = z.object({ to: z.string(), url: z.string().optional(), error: z.string().optional() });
export type DraftPost = z.infer<typeof DraftPost>;

/** A wait of an agent's step for a system that is unavailable, with the number of failed attempts. */
export const StepRetry = z.object({ message: z.string(), attempt: z.int(), nextAt: Timestamp });
export type StepRetry = z.infer<typeof StepRetry>;

export const StepStatus = z.object({
  name: z.string(),
  phase: z.enum(stepPhases),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  /** The number of turns that the agent has taken in all rounds. */
  turns: z.int().optional(),
  /** The number of times that reviews repeated this step. */
  reviewRounds: z.int().optional(),
  verdict: Verdict.optional(),
  usage: Usage.optional(),
  evidence: z.array(Evidence).optional(),
  skippedEvidence: z.array(SkippedEvidence).optional(),
  posts: z.array(DraftPost).optional(),
  /** The decision of a person, with the commit that they reviewed. */
  decision: z
    .object({
      by: z.string(),
      role: z.string(),
      outcome: z.enum(['approved', 'rejected']),
      headSha: z.string().optional(),
      note: z.string().optional(),
      at: Timestamp,
      /** The decision as the API signed it. */
      proof: z.string().optional(),
    })
    .optional(),
  waitingFor: z.object({ role: z.string(), since: Timestamp, message: z.string().optional() }).optional(),
  /** Set while the step waits before its next attempt. */
  retrying: StepRetry.optional(),
  failure: Failure.optional(),
});
export type StepStatus = z.infer<typeof StepStatus>;

export const RunTarget = z.strictObject({
  repo: RepoName,
  number: z.int().min(1),
  /** Defaults to `issue`; a run with a pull request commits to that pull request. */
  kind: z.enum(['issue', 'pull-request']).optional(),
});
export type RunTarget = z.infer<typeof RunTarget>;

/** The code host event that started a run. */
export const RunCause = z.strictObject({
  event: z.string(),
  /** The label that the event added. */
  label: z.string().optional(),
  /** All labels of the issue or pull request at the time of the event. */
  labels: z.array(z.string()),
  /** The accounts on the code host that sent the event and that wrote the issue or pull request, without bots. */
  people: z.array(z.string()).optional(),
  at: Timestamp,
});
export type RunCause = z.infer<typeof RunCause>;

export const RunSpec = z.strictObject({
  agentWorkflow: z.string(),
  product: z.string(),
  /** The issue or pull request of the run. */
  target: RunTarget.optional(),
  /** The Release whose tag started the run. */
  release: z.strictObject({ name: z.string(), version: z.string(), repo: RepoName }).optional(),
  /** The task, for a run without an issue. */
  instructions: z.string().max(20_000).optional(),
  startedBy: z.string(),
  cause: RunCause.optional(),
  /** Copies of the steps and AgentRoles from the start of the run, so that later edits do not affect it. */
  steps: z.array(StepSpec),
  roles: z.record(z.string(), AgentRoleSpec),
  limits: RunLimits.optional(),
});
export type RunSpec = z.infer<typeof RunSpec>;

export const RunStatus = z.object({
  phase: z.enum(runPhases),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  /** The branch of the run in the Product's repo, such as `service/<run>`. */
  branch: z.string().optional(),
  baseBranch: z.string().optional(),
  issue: z.object({ title: z.string(), url: z.string(), author: z.string().optional() }).optional(),
  pullRequest: z.object({ number: z.int(), url: z.string(), headSha: z.string() }).optional(),
  mergeCommit: z.string().optional(),
  conflictRounds: z.int().optional(),
  refusedDecision: RefusedDecision.optional(),
  /** The people whose guidance an agent has followed. */
  guidedBy: z.array(z.string()).optional(),
  steps: z.array(StepStatus),
  failure: Failure.optional(),
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
