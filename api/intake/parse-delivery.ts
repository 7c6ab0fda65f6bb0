import { z } from 'zod';
import { isMemberAssociation } from '../../src/rules/intake/events.ts';
import type { DeliveryFacts } from '../../workflows/intake/messages.ts';
import { listPeople } from '../../src/rules/intake/list-people.ts';
import { defined } from '../../src/defined.ts';
import { ClosedPullRequestEvent, type DeliveryAccount, IssueEvent, PullRequestEvent } from './delivery-events.ts';
import { ignored, type Ignored } from '../../src/rules/intake/ignored-reasons.ts';

export type DeliveryRequest = {
  event: string | undefined;
  body: Buffer;
  isForm: boolean;
  /** The slug of the org's app at the code host; undefined when it is unknown. */
  appSlug: string | undefined;
  now: Date;
};
const startingActions = {
  issues: new Set<string>(IssueEvent.shape.action.options),
  pull_request: new Set<string>(PullRequestEvent.shape.action.options),
};

type ParsedDelivery = ({ facts: DeliveryFacts } | { ignored: Ignored }) & {
  /** The repo whose issues have changed. */
  changedRepo?: string;
  /** The URL of a pull request that a person, or another application, has merged or closed. */
  closedPullUrl?: string;
};
const RepoOfEvent = z.object({ repository: z.object({ full_name: z.string().max(300) }) });

/** Reduces a delivery with a valid signature to the facts that rules need; most events start no run. */
export function parseDelivery({ event, body, isForm, appSlug, now }: DeliveryRequest): ParsedDelivery {
  if (event !== 'issues' && event !== 'pull_request')
    return { ignored: ignored('event-type-ignored', `Events of type "${event ?? 'none'}" start no runs.`) };
  const text = body.toString('utf8');
  const payload = parseJson(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  const { data } = z.object({ action: z.string() }).safeParse(payload);
  const repo = event === 'issues' ? RepoOfEvent.safeParse(payload).data?.repository.full_name : undefined;
  const changed = repo === undefined ? {} : { changedRepo: repo };
  if (data && !startingActions[event].has(data.action))
    return {
      ...changed,
      ...(event === 'pull_request' && defined({ closedPullUrl: findClosedPullUrl(payload, appSlug) })),
      ignored: ignored('action-ignored', `The action "${data.action.slice(0, 100)}" of "${event}" starts no runs.`),
    };
  const read = event === 'issues' ? toIssueFacts(payload, appSlug) : toPullRequestFacts(payload, appSlug);
  if (read === undefined)
    return { ignored: ignored('event-invalid', `The body is not a valid event of type "${event}".`) };
  return { ...changed, facts: { ...read, at: read.at ?? now.toISOString() } };
}

function toIssueFacts(payload: unknown, slug: string | undefined): DeliveryFacts | undefined {
  const read = IssueEvent.safeParse(payload);
  if (!read.success) return undefined;
  const { action, issue, label, repository, sender } = read.data;
  return {
    event: 'issues',
    action,
    repo: repository.full_name,
    number: issue.number,
    labels: issue.labels,
    ...defined({ people: listPeople([sender, issue.user ?? sender]) }),
    senderIsBot: isBot(sender),
    senderIsOwnApp: isOwnApp(sender, slug),
    authorIsBot: isBot(issue.user ?? sender),
    authorIsMember: isMemberAssociation(issue.author_association),
    // Some code hosts send null for an issue instead of omitting the field.
    isPullRequest: issue.pull_request !== undefined && issue.pull_request !== null,
    ...(action === 'labeled' && label && { label: label.name }),
    ...(issue.created_at !== undefined && { openedAt: toUtc(issue.created_at) }),
    ...(issue.updated_at !== undefined && { at: toUtc(issue.updated_at) }),
  };
}

function toPullRequestFacts(payload: unknown, slug: string | undefined): DeliveryFacts | undefined {
  const read = PullRequestEvent.safeParse(payload);
  if (!read.success) return undefined;
  const { action, pull_request: pull, repository, sender } = read.data;
  return {
    event: 'pull_request',
    action,
    repo: repository.full_name,
    number: pull.number,
    labels: pull.labels,
    ...defined({ people: listPeople([sender, pull.user ?? sender]) }),
    baseBranch: pull.base.ref,
    headBranch: pull.head.ref,
    authorIsMember: isMember(pull, repository.full_name),
    senderIsOwnApp: isOwnApp(sender, slug),
    ...(pull.updated_at !== undefined && { at: toUtc(pull.updated_at) }),
  };
}

/** Runs close and merge their own pull requests, too. */
function findClosedPullUrl(payload: unknown, slug: string | undefined): string | undefined {
  const { data } = ClosedPullRequestEvent.safeParse(payload);
  return data && !isOwnApp(data.sender, slug) ? data.pull_request.html_url : undefined;
}

/** A branch of the repo itself comes from an account that may write to it, such as a bot that updates libraries. */
const isMember = (pull: z.infer<typeof PullRequestEvent>['pull_request'], repo: string): boolean =>
  isMemberAssociation(pull.author_association) || pull.head.repo?.full_name.toLowerCase() === repo.toLowerCase();

const isBot = (account: DeliveryAccount): boolean => account?.type === 'Bot';

/** Every bot counts as our own app while its slug is unknown, because a loop of paid runs is the worse mistake. */
const isOwnApp = (sender: DeliveryAccount, slug: string | undefined): boolean =>
  isBot(sender) && (slug === undefined || sender?.login?.toLowerCase() === `${slug.toLowerCase()}[bot]`);

const toUtc = (timestamp: string): string => new Date(timestamp).toISOString();

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
