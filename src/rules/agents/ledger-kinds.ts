import { z } from 'zod';
import { Usage } from '../changes/kinds.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

/** The usage of one run on one day (UTC). It outlives the run, so that costs stay complete after a run is deleted. */
export const TurnLedgerSpec = z.strictObject({
  run: z.string(),
  product: z.string(),
  agentWorkflow: z.string(),
  day: z.iso.date(),
});

const ModelUsage = z.object({ model: z.string(), turns: z.int(), usage: Usage });
export type ModelUsage = z.infer<typeof ModelUsage>;

const StepUsage = z.object({
  step: z.string(),
  role: z.string(),
  /** The latest turn, which a retry may repeat. */
  latestTurn: z.object({ turn: z.int(), model: z.string(), usage: Usage }),
  /** The sum of all earlier turns, by model. */
  earlierTurns: z.array(ModelUsage),
});
export type StepUsage = z.infer<typeof StepUsage>;

export const TurnLedgerStatus = z.object({ steps: z.array(StepUsage) });
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
