import { z } from 'zod';
import { Timestamp } from '../names.ts';

/** A round of a step: from its start until a result, after which the step may start again. */
export const StepRound = z.object({
  number: z.int().min(1).describe('Number of the round, counted from 1.'),
  startedAt: Timestamp.describe('Time at which the round started.'),
  finishedAt: Timestamp.optional().describe('Time at which the round finished.'),
  outcome: z
    .enum(['done', 'approved', 'changes-requested', 'needs-guidance', 'rejected', 'failed'])
    .optional()
    .describe('Result of the round; absent while it is in progress, and if it was cancelled.'),
  summary: z.string().optional().describe('Beginning of the agent’s summary, of the person’s note or of the failure.'),
  by: z.string().optional().describe('E-mail address of the person who decided.'),
  headSha: z.string().optional().describe('Head commit of the pull request at the result.'),
});
export type StepRound = z.infer<typeof StepRound>;

/** A person's decision about a run. Unlike the status of a step, it stays when the step starts again. */
export const RunDecision = z.object({
  step: z.string().optional().describe('Step that the decision is about; absent if it is about the whole run.'),
  by: z.string().describe('E-mail address of the person who decided.'),
  role: z.string().optional().describe('Role of the person in the org.'),
  outcome: z
    .enum(['approved', 'rejected', 'guided', 'retried', 'cancelled'])
    .describe('The decision; `retried` if an agent continues without guidance, or a failed step starts again.'),
  headSha: z.string().optional().describe('Commit that was reviewed.'),
  note: z.string().optional().describe('Note of the person.'),
  at: Timestamp.describe('Time of the decision.'),
  proof: z.string().optional().describe('The decision as the API signed it.'),
});
export type RunDecision = z.infer<typeof RunDecision>;
