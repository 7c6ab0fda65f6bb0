import { z } from 'zod';
import { NameLabel, Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { Condition } from '../conditions.ts';
import { toolNames } from './tool-names.ts';

export const CostUsd = z.number().min(0.01).max(1_000_000);

export const AgentRoleSpec = z.strictObject({
  /** Instructions to the agent, one sentence each. */
  responsibilities: z.array(z.string().min(1).max(4000)).min(1).max(50),
  /** A model of the org's provider; defaults to the provider's default model. */
  model: z.string().trim().min(1).max(200).optional(),
  /** The tools that the agent may use; defaults to all tools of the step. `finish` is always available. */
  tools: z.array(z.enum(toolNames)).max(20).optional(),
  /** Commands may reach the network if the org allows it too. */
  network: z.boolean().optional(),
  /** Limits per step; guidance from a person resets them. */
  limits: z
    .strictObject({
      turns: z.int().min(1).max(500).optional(),
      /** The sum of input and output tokens. */
      tokens: z.int().min(1000).max(50_000_000).optional(),
      costUsd: CostUsd.optional(),
      seconds: z.int().min(1).max(604_800).optional(),
    })
    .optional(),
});
export type AgentRoleSpec = z.infer<typeof AgentRoleSpec>;
export const AgentRoleKind = defineResource({
  kind: 'AgentRole',
  plural: 'agentroles',
  spec: AgentRoleSpec,
  status: z.object({}),
  crd: {
    printerColumns: [
      { name: 'Model', path: '.spec.model' },
      { name: 'Responsibility', path: '.spec.responsibilities[0]', wide: true },
    ],
  },
});
export type AgentRole = ResourceOf<typeof AgentRoleKind>;

const LabelName = z.string().min(1).max(100);

const stepBase = {
  name: NameLabel,
  /** Adjacent steps with the same group run in parallel. */
  parallel: NameLabel.optional(),
  when: z.strictObject({ pullRequest: z.strictObject({ conflicted: z.literal(true) }) }).optional(),
};
export const AgentStep = z.strictObject({
  ...stepBase,
  type: z.literal('agent'),
  role: NameLabel,
  /** `change` writes code on the run's branch; `report` reads only. */
  mode: z.enum(['change', 'report']),
  /** The step that this step reviews; the verdict `changes-requested` repeats that step. */
  reviews: NameLabel.optional(),
  /** Success criteria; the verdict judges each criterion separately. */
  criteria: z.array(z.string().trim().min(1).max(200)).min(1).max(10).optional(),
  /** Posts the draft of a report to the org's chat destinations, or as a comment on the issue of the run. */
  deliver: z.enum(['chat', 'issue']).optional(),
  /** Labels to remove from the issue after the draft is posted. */
  removeLabels: z.array(LabelName).min(1).max(10).optional(),
});
export const HumanStep = z.strictObject({ ...stepBase, type: z.literal('human') });
export const MergeStep = z.strictObject({ ...stepBase, type: z.literal('merge') });
export const StepSpec = z.discriminatedUnion('type', [AgentStep, HumanStep, MergeStep]);
export type AgentStep = z.infer<typeof AgentStep>;
export type StepSpec = z.infer<typeof StepSpec>;

export const EventTrigger = z.strictObject({
  type: z.literal('event'),
  event: z.enum(['issue.opened', 'issue.labeled', 'release.cut']),
  labels: z.array(LabelName).max(50).optional(),
});
export type EventTrigger = z.infer<typeof EventTrigger>;
/** A glob with `*` and `**`; other wildcards would be taken literally, so they are rejected. */
const BranchGlob = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[^*?[\]{}]*(\*{1,2}[^*?[\]{}]*){0,3}$/,
    'may contain at most three wildcards, each * or **, and none of ? [ ] { }',
  );
/** Starts a run when a pull request is opened, is reopened or gets new commits. */
const ChangeTrigger = z.strictObject({
  type: z.literal('onChange'),
  /** Globs that the base branch must match, such as `main` or `release/*`. */
  branches: z.array(BranchGlob).max(50).optional(),
  labels: z.array(LabelName).max(50).optional(),
});
export const CronTrigger = z.strictObject({
  type: z.literal('cron'),
  /** A cron expression of five fields, evaluated in the org's time zone. */
  schedule: z.string().trim().max(200),
});
export const TriggerSpec = z.discriminatedUnion('type', [EventTrigger, ChangeTrigger, CronTrigger]);
export type TriggerSpec = z.infer<typeof TriggerSpec>;

export const RunLimits = z.strictObject({ costUsdPerRun: CostUsd.optional() });

export const AgentWorkflowSpec = z.strictObject({
  enabled: z.boolean(),
  triggers: z.array(TriggerSpec).max(20),
  steps: z.array(StepSpec).min(1).max(30),
  limits: RunLimits.optional(),
});
export type AgentWorkflowSpec = z.infer<typeof AgentWorkflowSpec>;

export const AgentWorkflowStatus = z.object({
  /** The schedule in words, with the reason if it is not active; absent without a `cron` trigger. */
  schedule: z.string().optional(),
  nextScheduledAt: Timestamp.optional(),
  /** The last scheduled time for which runs were started. */
  lastScheduledAt: Timestamp.optional(),
  conditions: z.array(Condition).optional(),
});
export type AgentWorkflowStatus = z.infer<typeof AgentWorkflowStatus>;
export const AgentWorkflowKind = defineResource({
  kind: 'AgentWorkflow',
  plural: 'agentworkflows',
  spec: AgentWorkflowSpec,
  status: AgentWorkflowStatus,
  crd: {
    printerColumns: [
      { name: 'Enabled', path: '.spec.enabled', type: 'boolean' },
      { name: 'Next', path: '.status.nextScheduledAt' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
    validations: [
      {
        rule: 'self.steps.all(step, self.steps.exists_one(other, other.name == step.name))',
        message: 'step names must be unique',
      },
    ],
  },
});
export type AgentWorkflow = ResourceOf<typeof AgentWorkflowKind>;
