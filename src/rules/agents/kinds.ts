import { z } from 'zod';
import { NameLabel, Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { Condition } from '../taken-up.ts';
import { toolNames } from './tools.ts';

export const CostUsd = z.number().min(0.01).max(1_000_000);

export const AgentRoleSpec = z.strictObject({
  /** Guidance to the agent, one sentence each. */
  responsibilities: z.array(z.string().min(1).max(4000)).min(1).max(50),
  /** One of the models of the org's provider; its default one when absent. */
  model: z.string().trim().min(1).max(200).optional(),
  /** What it may use of the tools that its steps have; all of them when absent. It can always finish. */
  tools: z.array(z.enum(toolNames)).max(20).optional(),
  /** Its commands may reach the network, where the org allows that. */
  network: z.boolean().optional(),
  /** For each step, and for as much again after a person's guidance. */
  limits: z
    .strictObject({
      turns: z.int().min(1).max(500).optional(),
      /** Input and output together. */
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
  kubectl: {
    columns: [
      { name: 'Model', path: '.spec.model' },
      { name: 'Responsibility', path: '.spec.responsibilities[0]', wide: true },
    ],
  },
});
export type AgentRole = ResourceOf<typeof AgentRoleKind>;

const LabelName = z.string().min(1).max(100);

const stepBase = {
  name: NameLabel,
  /** Neighbouring steps of one group run together. */
  parallel: NameLabel.optional(),
  when: z.strictObject({ pullRequest: z.strictObject({ conflicted: z.literal(true) }) }).optional(),
};
export const AgentStep = z.strictObject({
  ...stepBase,
  type: z.literal('agent'),
  role: NameLabel,
  /** `change` writes code on the run's branch; `report` reads only. */
  mode: z.enum(['change', 'report']),
  /** The step whose work this one judges; its verdict `changes-requested` goes back there. */
  reviews: NameLabel.optional(),
  /** What has to be so for the step to pass; its verdict judges each by itself. */
  criteria: z.array(z.string().trim().min(1).max(200)).min(1).max(10).optional(),
  /** A report's draft goes to the org's chat destinations, or as a comment to the issue that the run is about. */
  deliver: z.enum(['chat', 'issue']).optional(),
  /** Taken from the issue once the draft is there. */
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
/** A pull request is opened, reopened or gets new commits. */
const ChangeTrigger = z.strictObject({
  type: z.literal('onChange'),
  /** Globs of the base branch, such as `main` or `release/*`. */
  branches: z.array(z.string().min(1).max(200)).max(50).optional(),
  labels: z.array(LabelName).max(50).optional(),
});
export const CronTrigger = z.strictObject({
  type: z.literal('cron'),
  /** Five fields of cron, read in the org's time zone. */
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
  /** What it is scheduled by, and what keeps it from running; absent without a `cron` trigger. */
  schedule: z.string().optional(),
  nextScheduledAt: Timestamp.optional(),
  /** The last time that came due and started its runs. */
  lastScheduledAt: Timestamp.optional(),
  conditions: z.array(Condition).optional(),
});
export type AgentWorkflowStatus = z.infer<typeof AgentWorkflowStatus>;
export const AgentWorkflowKind = defineResource({
  kind: 'AgentWorkflow',
  plural: 'agentworkflows',
  spec: AgentWorkflowSpec,
  status: AgentWorkflowStatus,
  kubectl: {
    columns: [
      { name: 'Enabled', path: '.spec.enabled', type: 'boolean' },
      { name: 'Next', path: '.status.nextScheduledAt' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
    rules: [
      {
        rule: 'self.steps.all(step, self.steps.exists_one(other, other.name == step.name))',
        message: 'each step needs a name of its own',
      },
    ],
  },
});
export type AgentWorkflow = ResourceOf<typeof AgentWorkflowKind>;
