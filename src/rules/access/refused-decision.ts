import { z } from 'zod';
import { Timestamp } from '../names.ts';

/** The last decision that was refused, because it was not made through the API. `by` is what the decision claimed. */
export const RefusedDecision = z.object({
  action: z.string().describe('Action that was refused.'),
  by: z.string().describe('Person that the refused decision claimed to come from.'),
  at: Timestamp.describe('Time of the refusal.'),
  reason: z.string().describe('Why the decision was refused.'),
});
export type RefusedDecision = z.infer<typeof RefusedDecision>;
