import { z } from 'zod';
import { AgentRoleSpec, RunLimits, StepSpec } from '../agents/kinds.ts';
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

/** What went wrong, where, and what a person can do about it. */
export const Failure = z.object({ reason: z.string(), resource: z.string(), fix: z.string(), at: Timestamp });
export type Failure = z.infer<typeof Failure>;

/** An agent's judgement of its own work (`done`) or of another's. */
export const Verdict = z.object({
  outcome: z.enum(['done', 'approved', 'changes-requested', 'needs-guidance']),
  summary: z.string().max(4000),
  /** One for each success criterion of the step. */
  criteria: z.array(z.object({ criterion: z.string(), met: z.boolean(), note: z.string().max(300) })).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** Of the input tokens: those the provider still had. */
  cachedInputTokens: z.int().optional(),
  /** Millionths of a dollar. */
  costMicroUsd: z.int().optional(),
  /** Some of it has no known price, and is not in the cost. */
  costUnknown: z.literal(true).optional(),
});
export type Usage = z.infer<typeof Usage>;

/** A file that an agent left to show what it did; `artifact` is `artifact:<id>`. */
export const Evidence = z.object({ artifact: z.string(), name: z.string(), type: z.string(), sizeBytes: z.int() });
export type Evidence = z.infer<typeof Evidence>;

/** A file that was not kept as evidence, and the limit or the reason. */
export const EvidenceSkipped = z.object({ name: z.string(), reason: z.string() });
export type EvidenceSkipped = z.infer<typeof EvidenceSkipped>;

/** Where a step's draft was posted; `problem` says why it was not, or what is left to do. */
export const Post = z.object({ to: z.string(), url: z.string().optional(), problem: z.string().optional() });
export type Post = z.infer<typeof Post>;

export const StepStatus = z.object({
  name: z.string(),
  phase: z.enum(stepPhases),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  /** How many turns the agent has taken, over all rounds. */
  turns: z.int().optional(),
  /** How often a review sent the work back here. */
  rounds: z.int().optional(),
  verdict: Verdict.optional(),
  usage: Usage.optional(),
  evidence: z.array(Evidence).optional(),
  evidenceSkipped: z.array(EvidenceSkipped).optional(),
  posts: z.array(Post).optional(),
  /** The person who approved or rejected, with what they saw. */
  decision: z
    .object({
      by: z.string(),
      role: z.string(),
      outcome: z.enum(['approved', 'rejected']),
      headSha: z.string().optional(),
      note: z.string().optional(),
      at: Timestamp,
    })
    .optional(),
  waitingFor: z.object({ role: z.string(), since: Timestamp, what: z.string().optional() }).optional(),
  failure: Failure.optional(),
});
export type StepStatus = z.infer<typeof StepStatus>;

export const RunTarget = z.strictObject({
  repo: RepoName,
  number: z.int().min(1),
  /** An issue where nothing is said; a pull request is itself the Change. */
  kind: z.enum(['issue', 'pull-request']).optional(),
});
export type RunTarget = z.infer<typeof RunTarget>;

/** The event of the code host that started a run. */
export const RunCause = z.strictObject({
  event: z.string(),
  /** The label just added, where that is the event. */
  label: z.string().optional(),
  /** All that the issue or pull request carried then. */
  labels: z.array(z.string()),
  at: Timestamp,
});
export type RunCause = z.infer<typeof RunCause>;

export const RunSpec = z.strictObject({
  agentWorkflow: z.string(),
  product: z.string(),
  /** The issue (or pull request) the run is about. */
  target: RunTarget.optional(),
  /** The Release whose tag started it. */
  release: z.strictObject({ name: z.string(), version: z.string(), repo: RepoName }).optional(),
  /** What to do, where there is no issue to say it. */
  instructions: z.string().max(20_000).optional(),
  startedBy: z.string(),
  cause: RunCause.optional(),
  /** The steps and AgentRoles as they were when the run started. */
  steps: z.array(StepSpec),
  roles: z.record(z.string(), AgentRoleSpec),
  limits: RunLimits.optional(),
});
export type RunSpec = z.infer<typeof RunSpec>;

export const RunStatus = z.object({
  phase: z.enum(runPhases),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  /** `service/<run>` on the Product's repo. */
  branch: z.string().optional(),
  baseBranch: z.string().optional(),
  issue: z.object({ title: z.string(), url: z.string(), author: z.string().optional() }).optional(),
  pullRequest: z.object({ number: z.int(), url: z.string(), headSha: z.string() }).optional(),
  mergeCommit: z.string().optional(),
  conflictRounds: z.int().optional(),
  steps: z.array(StepStatus),
  failure: Failure.optional(),
});
export type RunStatus = z.infer<typeof RunStatus>;

export const AgentWorkflowRunKind = defineResource({
  kind: 'AgentWorkflowRun',
  plural: 'agentworkflowruns',
  spec: RunSpec,
  status: RunStatus,
  selectable: ['spec.product', 'spec.agentWorkflow', 'spec.target.repo', 'spec.target.number', 'status.phase'],
  kubectl: {
    // A Change is a view of a run.
    shortNames: ['change', 'changes'],
    columns: [
      { name: 'Workflow', path: '.spec.agentWorkflow' },
      { name: 'Product', path: '.spec.product' },
      { name: 'Phase', path: '.status.phase' },
      { name: 'Issue', path: '.spec.target.number', type: 'integer' },
      { name: 'Title', path: '.status.issue.title' },
      { name: 'Started by', path: '.spec.startedBy', wide: true },
      { name: 'Pull request', path: '.status.pullRequest.url', wide: true },
      { name: 'Failure', path: '.status.failure.reason', wide: true },
    ],
    rules: [{ rule: 'self == oldSelf', message: 'a run is what it was started as; start another one' }],
  },
});
export type AgentWorkflowRun = ResourceOf<typeof AgentWorkflowRunKind>;
