import { z } from 'zod';
import { Usage } from '../changes/kinds.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

/** What one run spent on one day (UTC): it outlives the run, since the money is spent all the same. */
export const TurnLedgerSpec = z.strictObject({
  run: z.string(),
  product: z.string(),
  agentWorkflow: z.string(),
  day: z.iso.date(),
});

const Spent = z.object({ model: z.string(), turns: z.int(), usage: Usage });
export type Spent = z.infer<typeof Spent>;

const StepSpent = z.object({
  step: z.string(),
  role: z.string(),
  /** The latest turn, which may still be taken again. */
  last: z.object({ turn: z.int(), model: z.string(), usage: Usage }),
  /** All turns before it, by model. */
  before: z.array(Spent),
});
export type StepSpent = z.infer<typeof StepSpent>;

export const TurnLedgerStatus = z.object({ steps: z.array(StepSpent) });
export type TurnLedgerStatus = z.infer<typeof TurnLedgerStatus>;

export const TurnLedgerKind = defineResource({
  kind: 'TurnLedger',
  plural: 'turnledgers',
  spec: TurnLedgerSpec,
  status: TurnLedgerStatus,
  selectable: ['spec.run', 'spec.day'],
  kubectl: {
    columns: [
      { name: 'Run', path: '.spec.run' },
      { name: 'Product', path: '.spec.product' },
      { name: 'Day', path: '.spec.day' },
    ],
  },
});
export type TurnLedger = ResourceOf<typeof TurnLedgerKind>;
