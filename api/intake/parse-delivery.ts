import { z } from 'zod';
import { isMemberAssociation } from '../../src/rules/intake/events.ts';
import type { DeliveryFacts } from '../../workflows/intake/messages.ts';
import { listPeople } from '../../src/rules/intake/list-people.ts';
import { defined } from '../../src/defined.ts';
import { ignored, type Ignored } from '../../src/rules/intake/ignored-reasons.ts';

/** Code hosts allow fewer labels per issue; the bound keeps the workflow input small. */
const labelsMax = 100;

const truncatedText = z.string().transform((value) => value.slice(0, 300));
const Label = z.object({ name: truncatedText });
const Labels = z
  .array(Label)
  .nullish()
  .transform((labels) => (labels ?? []).slice(0, labelsMax).map(({ name }) => name));
const Account = z.object({ type: z.string().optional(), login: z.string().optional() }).nullish();
const Association = z.string().nullish();
const Repository = z.object({ full_name: z.string().max(140) });
const OptionalTimestamp = z.iso.datetime({ offset: true }).optional().catch(undefined);
const number = z.int().min(1);

const IssueEvent = z.object({
  action: z.enum(['opened', 'labeled']),
  issue: z.object({
    number,
    labels: Labels,
    user: Account,
    author_association: Association,
    pull_request: z.unknown().optional(),
    created_at: OptionalTimestamp,
    updated_at: OptionalTimestamp,
  }),
  label: Label.nullish(),
  repository: Repository,
  sender: Account,
});

const PullRequestEvent = z.object({
  action: z.enum(['opened', 'reopened', 'synchronize']),
  pull_request: z.object({
    number,
    labels: Labels,
    base: z.object({ ref: truncatedText }),
    head: z.object({ ref: truncatedText, repo: Repository.nullish() }),
    user: Account,
    author_association: Association,
    updated_at: OptionalTimestamp,
  }),
  repository: Repository,
  sender: Account,
});

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

type ParsedDelivery = { facts: DeliveryFacts } | { ignored: Ignored };

/** Reduces a delivery with a valid signature to the facts that rules need; most events start no run. */
export function parseDelivery({ event, body, isForm, appSlug, now }: DeliveryRequest): ParsedDelivery {
  if (event !== 'issues' && event !== 'pull_request')
    return { ignored: ignored('event-type-ignored', `Events of type "${event ?? 'none'}" start no runs.`) };
  const text = body.toString('utf8');
  const payload = parseJson(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  const { data } = z.object({ action: z.string() }).safeParse(payload);
  if (data && !startingActions[event].has(data.action))
    return {
      ignored: ignored('action-ignored', `The action "${data.action.slice(0, 100)}" of "${event}" starts no runs.`),
    };
  const read = event === 'issues' ? toIssueFacts(payload, appSlug) : toPullRequestFacts(payload, appSlug);
  if (read === undefined)
    return { ignored: ignored('event-invalid', `The body is not a valid event of type "${event}".`) };
  return { facts: { ...read, at: read.at ?? now.toISOString() } };
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

/** A branch of the repo itself comes from an account that may write to it, such as a bot that updates libraries. */
const isMember = (pull: z.infer<typeof PullRequestEvent>['pull_request'], repo: string): boolean =>
  isMemberAssociation(pull.author_association) || pull.head.repo?.full_name.toLowerCase() === repo.toLowerCase();

type Sender = z.infer<typeof Account>;

const isBot = (account: Sender): boolean => account?.type === 'Bot';

/** Every bot counts as our own app while its slug is unknown, because a loop of paid runs is the worse mistake. */
const isOwnApp = (sender: Sender, slug: string | undefined): boolean =>
  isBot(sender) && (slug === undefined || sender?.login?.toLowerCase() === `${slug.toLowerCase()}[bot]`);

const toUtc = (timestamp: string): string => new Date(timestamp).toISOString();

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
