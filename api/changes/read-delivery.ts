import { z } from 'zod';
import type { DeliveryFacts } from '../../workflows/changes/messages.ts';

/** As much of an issue event as is decided on. */
const IssueEvent = z.object({
  action: z.string(),
  issue: z.object({
    number: z.int(),
    labels: z.array(z.object({ name: z.string() })).optional(),
    pull_request: z.unknown().optional(),
  }),
  label: z.object({ name: z.string() }).optional(),
  repository: z.object({ full_name: z.string() }),
  sender: z.object({ type: z.string() }).optional(),
});

/** Reads what a proven delivery says; most of what a code host sends starts nothing. */
export function readDelivery(event: string | undefined, body: Buffer): { facts: DeliveryFacts } | { ignored: string } {
  if (event !== 'issues') return { ignored: `events of type "${event ?? 'none'}" start nothing` };
  const read = IssueEvent.safeParse(parsed(body));
  if (!read.success) return { ignored: 'the body is not an issue event' };
  const { action, issue, label, repository, sender } = read.data;
  if (action !== 'opened' && action !== 'labeled') return { ignored: `"${action}" of an issue starts nothing` };
  const facts: DeliveryFacts = {
    event,
    action,
    repo: repository.full_name,
    number: issue.number,
    labels: (issue.labels ?? []).map(({ name }) => name),
    senderIsBot: sender?.type === 'Bot',
    isPullRequest: issue.pull_request !== undefined,
    ...(action === 'labeled' && label && { label: label.name }),
  };
  return { facts };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
