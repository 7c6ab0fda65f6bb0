import { z } from 'zod';
import { Timestamp } from '../names.ts';

/** The last decision that was refused, because it was not made through the API. `by` is what the decision claimed. */
export const RefusedDecision = z.object({ action: z.string(), by: z.string(), at: Timestamp, reason: z.string() });
export type RefusedDecision = z.infer<typeof RefusedDecision>;
