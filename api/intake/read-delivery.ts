import { z } from 'zod';
import type { DeliveryFacts } from '../../workflows/intake/messages.ts';

/** More than an issue can carry; what decides must stay small enough for a workflow's input. */
const labelsMax = 100;

const text = z.string().transform((value) => value.slice(0, 300));
const Label = z.object({ name: text });
const Labels = z
  .array(Label)
  .nullish()
  .transform((labels) => (labels ?? []).slice(0, labelsMax).map(({ name }) => name));
const Account = z.object({ type: z.string().optional(), login: z.string().optional() }).nullish();
const Repository = z.object({ full_name: z.string().max(140) });
const Moment = z.iso.datetime({ offset: true }).optional().catch(undefined);
const number = z.int().min(1);

/** As much of an issue event as is decided on. */
const IssueEvent = z.object({
  action: z.enum(['opened', 'labeled']),
  issue: z.object({
    number,
    labels: Labels,
    user: Account,
    pull_request: z.unknown().optional(),
    created_at: Moment,
    updated_at: Moment,
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
    base: z.object({ ref: text }),
    head: z.object({ ref: text }),
    updated_at: Moment,
  }),
  repository: Repository,
  sender: Account,
});

export type Received = {
  event: string | undefined;
  body: Buffer;
  form: boolean;
  /** How the org's application is called at the code host, where that is known. */
  slug: string | undefined;
  now: Date;
};
const starting = {
  issues: new Set<string>(IssueEvent.shape.action.options),
  pull_request: new Set<string>(PullRequestEvent.shape.action.options),
};

type Read = { facts: DeliveryFacts } | { ignored: string };

/** Reads what a proven delivery says; most of what a code host sends starts nothing. */
export function readDelivery({ event, body, form, slug, now }: Received): Read {
  if (event !== 'issues' && event !== 'pull_request')
    return { ignored: `events of type "${event ?? 'none'}" start nothing` };
  const said = parsed(form ? (new URLSearchParams(body.toString('utf8')).get('payload') ?? '') : body.toString('utf8'));
  const { data } = z.object({ action: z.string() }).safeParse(said);
  if (data && !starting[event].has(data.action))
    return { ignored: `"${data.action.slice(0, 100)}" of "${event}" starts nothing` };
  const read = event === 'issues' ? issueFacts(said, slug) : pullRequestFacts(said, slug);
  if (read === undefined) return { ignored: `the body is not an event of type "${event}"` };
  return { facts: { ...read, at: read.at ?? now.toISOString() } };
}

function issueFacts(said: unknown, slug: string | undefined): DeliveryFacts | undefined {
  const read = IssueEvent.safeParse(said);
  if (!read.success) return undefined;
  const { action, issue, label, repository, sender } = read.data;
  return {
    event: 'issues',
    action,
    repo: repository.full_name,
    number: issue.number,
    labels: issue.labels,
    senderIsBot: isBot(sender),
    senderIsOwnApp: isOwnApp(sender, slug),
    authorIsBot: isBot(issue.user ?? sender),
    // It is null in what some code hosts send of an issue.
    isPullRequest: issue.pull_request !== undefined && issue.pull_request !== null,
    ...(action === 'labeled' && label && { label: label.name }),
    ...(issue.created_at !== undefined && { openedAt: inUtc(issue.created_at) }),
    ...(issue.updated_at !== undefined && { at: inUtc(issue.updated_at) }),
  };
}

function pullRequestFacts(said: unknown, slug: string | undefined): DeliveryFacts | undefined {
  const read = PullRequestEvent.safeParse(said);
  if (!read.success) return undefined;
  const { action, pull_request: pull, repository, sender } = read.data;
  return {
    event: 'pull_request',
    action,
    repo: repository.full_name,
    number: pull.number,
    labels: pull.labels,
    baseBranch: pull.base.ref,
    headBranch: pull.head.ref,
    senderIsOwnApp: isOwnApp(sender, slug),
    ...(pull.updated_at !== undefined && { at: inUtc(pull.updated_at) }),
  };
}

type Sender = z.infer<typeof Account>;

const isBot = (account: Sender): boolean => account?.type === 'Bot';

/** A bot is taken for ourselves where our own name is not known: a loop of paid runs is the worse mistake. */
const isOwnApp = (sender: Sender, slug: string | undefined): boolean =>
  isBot(sender) && (slug === undefined || sender?.login?.toLowerCase() === `${slug.toLowerCase()}[bot]`);

const inUtc = (moment: string): string => new Date(moment).toISOString();

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
