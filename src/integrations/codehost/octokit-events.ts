import {
  isMemberAssociation,
  type CodehostEvent,
  type IssueEvent,
  type PullRequestEvent,
} from '../../rules/intake/events.ts';
import type { OrgCodehost } from './codehost.ts';
import { type Client, parseRepo } from './octokit-client.ts';
import { mapErrors } from './octokit-errors.ts';
import { listPeople } from '../../rules/intake/list-people.ts';
import { defined } from '../../defined.ts';

type Account = { login: string; type: string } | null;
type RawIssue = {
  number: number;
  labels: (string | { name?: string })[];
  user: Account;
  created_at: string;
  author_association?: string | null;
  pull_request?: unknown;
};
type RawPull = {
  number: number;
  labels: { name: string }[];
  user: Account;
  created_at: string;
  author_association?: string | null;
  base: { ref: string };
  head: { ref: string; repo?: { full_name: string } | null };
};
type RawEvent = { event: string; actor: Account; created_at: string; label?: { name: string }; issue: RawIssue | null };

/** Octokit types each route separately; this type covers all lists. */
type Paginate = (
  route: string,
  parameters: object,
  page: (response: { data: unknown }, done: () => void) => unknown[],
) => Promise<unknown[]>;

const labelsMax = 100;

/** `login` is the account that the org's application writes as. */
export function eventOperations(client: Client, login: string): Pick<OrgCodehost, 'listEventsSince'> {
  /** Lists are sorted newest first, so reading stops at the first older item. */
  const listSince = async <T extends { created_at: string }>(
    repo: string,
    path: string,
    since: string,
  ): Promise<T[]> => {
    const call = (client.paginate as Paginate)(
      `GET /repos/{owner}/{repo}/${path}`,
      { ...parseRepo(repo), per_page: 100 },
      (response, done) => {
        const page = response.data as T[];
        if (page.some((item) => isBefore(item, since))) done();
        return page;
      },
    );
    const all = (await mapErrors(`the events of ${repo}`, call)) as T[];
    return all.filter((item) => !isBefore(item, since));
  };

  return {
    async listEventsSince(repo, since) {
      const [issues, pulls, events] = await Promise.all([
        listSince<RawIssue>(repo, 'issues?state=all', since),
        listSince<RawPull>(repo, 'pulls?state=all', since),
        listSince<RawEvent>(repo, 'issues/events', since),
      ]);
      const reopened = events.filter(({ event, issue }) => event === 'reopened' && issue?.pull_request !== undefined);
      const reopenedEvents = await Promise.all(
        reopened.map(async ({ issue, actor, created_at }) => {
          const number = issue?.number ?? 0;
          const call = client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
            ...parseRepo(repo),
            pull_number: number,
          });
          const { data } = await mapErrors(`pull request ${repo}#${number}`, call);
          const pull: RawPull = { ...(data as RawPull), user: actor, created_at };
          const { user: author } = data as RawPull;
          return toPullRequestEvent('reopened', repo, { pull, login, author });
        }),
      );
      const found: CodehostEvent[] = [
        ...issues
          .filter((issue) => issue.pull_request === undefined)
          .map((issue) => toIssueEvent(repo, issue, { sender: issue.user, login })),
        ...pulls.map((pull) => toPullRequestEvent('opened', repo, { pull, login })),
        ...reopenedEvents,
        ...events.flatMap(({ event, actor, created_at: at, label, issue }) => {
          if (event !== 'labeled' || !label || !issue || issue.pull_request !== undefined) return [];
          return [toIssueEvent(repo, issue, { sender: actor, login, label: label.name, at })];
        }),
      ];
      return found.toSorted((one, other) => (one.at ?? '').localeCompare(other.at ?? ''));
    },
  };
}

const isBefore = ({ created_at: at }: { created_at: string }, since: string): boolean =>
  Date.parse(at) < Date.parse(since);
const toUtc = (moment: string): string => new Date(moment).toISOString();
const isBot = (account: Account): boolean => account?.type === 'Bot';
const isOwn = (account: Account, login: string): boolean => account?.login.toLowerCase() === login.toLowerCase();

type EventDetails = { sender: Account; login: string; label?: string; at?: string };

function toIssueEvent(
  repo: string,
  issue: RawIssue,
  { sender, login, label, at = issue.created_at }: EventDetails,
): IssueEvent {
  return {
    event: 'issues',
    action: label === undefined ? 'opened' : 'labeled',
    repo,
    number: issue.number,
    labels: issue.labels.slice(0, labelsMax).map((one) => (typeof one === 'string' ? one : (one.name ?? ''))),
    ...defined({ people: listPeople([sender, issue.user]) }),
    senderIsBot: isBot(sender),
    senderIsOwnApp: isOwn(sender, login),
    authorIsBot: isBot(issue.user),
    authorIsMember: isMemberAssociation(issue.author_association),
    isPullRequest: false,
    ...(label !== undefined && { label }),
    openedAt: toUtc(issue.created_at),
    at: toUtc(at),
  };
}

/** The user of the pull request sent the event; `author` is its author, if that is another account. */
type PullDetails = { pull: RawPull; login: string; author?: Account };

function toPullRequestEvent(
  action: 'opened' | 'reopened',
  repo: string,
  { pull, login, author = pull.user }: PullDetails,
): PullRequestEvent {
  return {
    event: 'pull_request',
    action,
    repo,
    number: pull.number,
    labels: pull.labels.slice(0, labelsMax).map(({ name }) => name),
    ...defined({ people: listPeople([pull.user, author]) }),
    baseBranch: pull.base.ref,
    headBranch: pull.head.ref,
    authorIsMember:
      isMemberAssociation(pull.author_association) || pull.head.repo?.full_name.toLowerCase() === repo.toLowerCase(),
    senderIsOwnApp: isOwn(pull.user, login),
    at: toUtc(pull.created_at),
  };
}
