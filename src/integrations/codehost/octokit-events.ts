import type { IssueEvent, PullRequestEvent, SourceEvent } from '../../rules/intake/events.ts';
import type { OrgCodehost } from './codehost.ts';
import { type Client, split } from './octokit-client.ts';
import { translating } from './octokit-errors.ts';

type Account = { login: string; type: string } | null;
type RawIssue = {
  number: number;
  labels: (string | { name?: string })[];
  user: Account;
  created_at: string;
  pull_request?: unknown;
};
type RawPull = {
  number: number;
  labels: { name: string }[];
  user: Account;
  created_at: string;
  base: { ref: string };
  head: { ref: string };
};
type RawEvent = { event: string; actor: Account; created_at: string; label?: { name: string }; issue: RawIssue | null };

/** One for all lists: the library has a type for each route. */
type Pages = (
  route: string,
  parameters: object,
  page: (response: { data: unknown }, done: () => void) => unknown[],
) => Promise<unknown[]>;

const labelsMax = 100;

/** `login` is what our own application writes as. */
export function eventOperations(client: Client, login: string): Pick<OrgCodehost, 'eventsSince'> {
  /** Lists are asked for newest first, and no further than to the moment. */
  const newest = async <T extends { created_at: string }>(repo: string, path: string, since: string): Promise<T[]> => {
    const call = (client.paginate as Pages)(
      `GET /repos/{owner}/{repo}/${path}`,
      { ...split(repo), per_page: 100 },
      (response, done) => {
        const page = response.data as T[];
        if (page.some((item) => isBefore(item, since))) done();
        return page;
      },
    );
    const all = (await translating(`what happened in ${repo}`, call)) as T[];
    return all.filter((item) => !isBefore(item, since));
  };

  return {
    async eventsSince(repo, since) {
      const [issues, pulls, events] = await Promise.all([
        newest<RawIssue>(repo, 'issues?state=all', since),
        newest<RawPull>(repo, 'pulls?state=all', since),
        newest<RawEvent>(repo, 'issues/events', since),
      ]);
      const reopened = events.filter(({ event, issue }) => event === 'reopened' && issue?.pull_request !== undefined);
      const again = await Promise.all(
        reopened.map(async ({ issue, actor, created_at }) => {
          const number = issue?.number ?? 0;
          const call = client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
            ...split(repo),
            pull_number: number,
          });
          const { data } = await translating(`pull request ${repo}#${number}`, call);
          const pull: RawPull = { ...(data as RawPull), user: actor, created_at };
          return pullEvent('reopened', repo, { pull, login });
        }),
      );
      const found: SourceEvent[] = [
        ...issues
          .filter((issue) => issue.pull_request === undefined)
          .map((issue) => issueEvent(repo, issue, { sender: issue.user, login })),
        ...pulls.map((pull) => pullEvent('opened', repo, { pull, login })),
        ...again,
        ...events.flatMap(({ event, actor, created_at: at, label, issue }) => {
          if (event !== 'labeled' || !label || !issue || issue.pull_request !== undefined) return [];
          return [issueEvent(repo, issue, { sender: actor, login, label: label.name, at })];
        }),
      ];
      return found.toSorted((one, other) => (one.at ?? '').localeCompare(other.at ?? ''));
    },
  };
}

const isBefore = ({ created_at: at }: { created_at: string }, since: string): boolean =>
  Date.parse(at) < Date.parse(since);
const inUtc = (moment: string): string => new Date(moment).toISOString();
const isBot = (account: Account): boolean => account?.type === 'Bot';
const isOwn = (account: Account, login: string): boolean => account?.login.toLowerCase() === login.toLowerCase();

type Happened = { sender: Account; login: string; label?: string; at?: string };

function issueEvent(
  repo: string,
  issue: RawIssue,
  { sender, login, label, at = issue.created_at }: Happened,
): IssueEvent {
  return {
    event: 'issues',
    action: label === undefined ? 'opened' : 'labeled',
    repo,
    number: issue.number,
    labels: issue.labels.slice(0, labelsMax).map((one) => (typeof one === 'string' ? one : (one.name ?? ''))),
    senderIsBot: isBot(sender),
    senderIsOwnApp: isOwn(sender, login),
    authorIsBot: isBot(issue.user),
    isPullRequest: false,
    ...(label !== undefined && { label }),
    openedAt: inUtc(issue.created_at),
    at: inUtc(at),
  };
}

type Pulled = { pull: RawPull; login: string };

function pullEvent(action: 'opened' | 'reopened', repo: string, { pull, login }: Pulled): PullRequestEvent {
  return {
    event: 'pull_request',
    action,
    repo,
    number: pull.number,
    labels: pull.labels.slice(0, labelsMax).map(({ name }) => name),
    baseBranch: pull.base.ref,
    headBranch: pull.head.ref,
    senderIsOwnApp: isOwn(pull.user, login),
    at: inUtc(pull.created_at),
  };
}
