import type { z } from 'zod';
import { findIgnoredFix, ignoredMessages } from '../intake/ignored-reasons.ts';
import type { DeliverySpec } from '../intake/kinds.ts';
import { type Explanation, toFacts } from './explanation.ts';

/** Explains what an event of the code host started, as it was decided when the event arrived. */
export function explainDelivery(delivery: z.infer<typeof DeliverySpec>): Explanation {
  const { agentWorkflow, deliveryId, event, repo, number, label, at, run, reason, message } = delivery;
  const facts = toFacts({ agentWorkflow, deliveryId, event, target: `${repo}#${number}`, label, at, run });
  if (reason === undefined)
    return { state: 'done', rule: 'run-started', message: message ?? 'A run was started.', facts };
  return {
    state: 'nothing',
    rule: reason,
    message: `The event started nothing: ${message ?? ignoredMessages[reason]}.`,
    facts,
    fix: findIgnoredFix(reason, event),
  };
}
