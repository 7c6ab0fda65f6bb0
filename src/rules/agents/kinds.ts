import { z } from 'zod';
import { NameLabel, Timestamp, trimmedText } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { Conditions } from '../conditions.ts';
import { toolNames } from './tool-names.ts';

export const CostUsd = z.number().min(0.01).max(1_000_000);

export const AgentRoleSpec = z.strictObject({
  responsibilities: z
    .array(z.string().min(1).max(4000))
    .min(1)
    .max(50)
    .describe('Instructions to the agent, one sentence each.'),
  model: trimmedText(200).optional().describe('Model of the org’s provider; defaults to the provider’s default model.'),
  tools: z
    .array(z.enum(toolNames))
    .max(20)
    .optional()
    .describe('Tools that the agent may use; defaults to all tools of the step. `finish` is always available.'),
  network: z.boolean().optional().describe('Whether commands may reach the network, if the org allows it too.'),
  limits: z
    .strictObject({
      turns: z.int().min(1).max(500).optional().describe('Maximum number of turns.'),
      tokens: z.int().min(1000).max(50_000_000).optional().describe('Maximum sum of input and output tokens.'),
      costUsd: CostUsd.optional().describe('Maximum cost in US dollars.'),
      seconds: z.int().min(1).max(604_800).optional().describe('Maximum duration in seconds.'),
    })
    .optional()
    .describe('Limits per step; guidance from a person resets them.'),
});
export type AgentRoleSpec = z.infer<typeof AgentRoleSpec>;
export const AgentRoleKind = defineResource({
  kind: 'AgentRole',
  plural: 'agentroles',
  spec: AgentRoleSpec,
  status: z.object({ conditions: Conditions }),
  crd: {
    printerColumns: [
      { name: 'Model', path: '.spec.model' },
      { name: 'Responsibility', path: '.spec.responsibilities[0]', wide: true },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
  },
});
export type AgentRole = ResourceOf<typeof AgentRoleKind>;

const LabelName = z.string().min(1).max(100);

const stepBase = {
  name: NameLabel.describe('Name of the step, unique in the workflow.'),
  parallel: NameLabel.optional().describe('Group of the step; adjacent steps with the same group run in parallel.'),
  when: z
    .strictObject({
      pullRequest: z
        .strictObject({
          conflicted: z.literal(true).describe('The step runs only while the pull request has merge conflicts.'),
        })
        .describe('State of the pull request that the step requires.'),
    })
    .optional()
    .describe('Condition under which the step runs; without it, the step always runs.'),
};
export const AgentStep = z.strictObject({
  ...stepBase,
  type: z.literal('agent').describe('An agent performs the step.'),
  role: NameLabel.describe('AgentRole that performs the step.'),
  mode: z.enum(['change', 'report']).describe('`change` writes code on the run’s branch; `report` only reads.'),
  reviews: NameLabel.optional().describe(
    'Step that this step reviews; the verdict `changes-requested` repeats that step.',
  ),
  criteria: z
    .array(trimmedText(200))
    .min(1)
    .max(10)
    .optional()
    .describe('Success criteria; the verdict judges each criterion separately.'),
  deliver: z
    .enum(['chat', 'issue'])
    .optional()
    .describe(
      'Where to post the draft of a report: to the org’s chat destinations, or as a comment on the issue of the run.',
    ),
  removeLabels: z
    .array(LabelName)
    .min(1)
    .max(10)
    .optional()
    .describe('Labels to remove from the issue after the draft is posted.'),
});
export const HumanStep = z.strictObject({
  ...stepBase,
  type: z.literal('human').describe('A person approves or rejects the step.'),
});
export const MergeStep = z.strictObject({
  ...stepBase,
  type: z.literal('merge').describe('The service merges the pull request.'),
});
export const StepSpec = z.discriminatedUnion('type', [AgentStep, HumanStep, MergeStep]);
export type AgentStep = z.infer<typeof AgentStep>;
export type StepSpec = z.infer<typeof StepSpec>;

export const EventTrigger = z.strictObject({
  type: z.literal('event').describe('The workflow starts on an event.'),
  event: z.enum(['issue.opened', 'issue.labeled', 'release.cut']).describe('Event that starts a run.'),
  labels: z
    .array(LabelName)
    .max(50)
    .optional()
    .describe(
      'Labels of which the issue must have at least one; any issue of a member or collaborator matches if omitted. A label that an issue template adds counts, so choose one that no template of a public repo adds.',
    ),
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
  type: z
    .literal('onChange')
    .describe('The workflow starts when a pull request is opened, is reopened or gets new commits.'),
  branches: z
    .array(BranchGlob)
    .max(50)
    .optional()
    .describe('Globs that the base branch must match, such as `main` or `release/*`.'),
  labels: z
    .array(LabelName)
    .max(50)
    .optional()
    .describe('Labels of which the pull request must have at least one; any pull request matches if omitted.'),
});
export const CronTrigger = z.strictObject({
  type: z.literal('cron').describe('The workflow starts on a schedule.'),
  schedule: z.string().trim().max(200).describe('Cron expression of five fields, evaluated in the org’s time zone.'),
});
export const TriggerSpec = z.discriminatedUnion('type', [EventTrigger, ChangeTrigger, CronTrigger]);
export type TriggerSpec = z.infer<typeof TriggerSpec>;

export const RunLimits = z.strictObject({
  costUsdPerRun: CostUsd.optional().describe('Maximum cost of a run in US dollars.'),
});

export const AgentWorkflowSpec = z.strictObject({
  description: z.string().max(500).optional().describe('What the AgentWorkflow does, and how to use it.'),
  enabled: z.boolean().describe('Whether triggers start runs. Manual starts are always possible.'),
  triggers: z.array(TriggerSpec).max(20).describe('Events and schedules that start a run.'),
  steps: z.array(StepSpec).min(1).max(30).describe('Steps of a run, in order.'),
  limits: RunLimits.optional().describe('Limits of each run.'),
});
export type AgentWorkflowSpec = z.infer<typeof AgentWorkflowSpec>;

export const AgentWorkflowStatus = z.object({
  schedule: z
    .string()
    .optional()
    .describe('Schedule in words, with the reason if it is not active; absent without a `cron` trigger.'),
  nextScheduledAt: Timestamp.optional().describe('Time of the next scheduled run.'),
  lastScheduledAt: Timestamp.optional().describe('Last scheduled time for which runs were started.'),
  conditions: Conditions,
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
