import { z } from 'zod';
import { Usage } from '../changes/kinds.ts';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

/** The usage of one run on one day (UTC). It outlives the run, so that costs stay complete after a run is deleted. */
export const TurnLedgerSpec = z.strictObject({
  run: z.string().describe('Run that used the tokens.'),
  product: z.string().describe('Product of the run.'),
  agentWorkflow: z.string().describe('AgentWorkflow of the run.'),
  day: z.iso.date().describe('Day of the usage (UTC).'),
});

const ModelUsage = z.object({
  model: z.string().describe('Model that was used.'),
  turns: z.int().describe('Number of turns.'),
  usage: Usage.describe('Tokens and cost of the turns.'),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

const StepUsage = z.object({
  step: z.string().describe('Step that used the tokens.'),
  role: z.string().describe('AgentRole of the step.'),
  latestTurn: z
    .object({
      turn: z.int().describe('Number of the turn.'),
      at: Timestamp.optional().describe('Time of the response; a turn that starts over has another one.'),
      model: z.string().describe('Model of the turn.'),
      usage: Usage.describe('Tokens and cost of the turn.'),
    })
    .describe('Latest turn, which a retry may repeat.'),
  earlierTurns: z.array(ModelUsage).describe('Sum of all earlier turns, by model.'),
});
export type StepUsage = z.infer<typeof StepUsage>;

export const TurnLedgerStatus = z.object({
  steps: z.array(StepUsage).describe('Usage of each step.'),
  conditions: Conditions,
});
export type TurnLedgerStatus = z.infer<typeof TurnLedgerStatus>;

export const TurnLedgerKind = defineResource({
  kind: 'TurnLedger',
  plural: 'turnledgers',
  spec: TurnLedgerSpec,
  status: TurnLedgerStatus,
  selectableFields: ['spec.run', 'spec.day'],
  crd: {
    printerColumns: [
      { name: 'Run', path: '.spec.run' },
      { name: 'Product', path: '.spec.product' },
      { name: 'Day', path: '.spec.day' },
    ],
  },
});
export type TurnLedger = ResourceOf<typeof TurnLedgerKind>;
