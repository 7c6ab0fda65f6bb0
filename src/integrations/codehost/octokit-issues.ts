import type { Issue, OrgCodehost } from './codehost.ts';
import { found, translating } from './octokit-errors.ts';
import { type Client, split } from './octokit-client.ts';

type RawIssue = {
  number: number;
  title: string;
  body?: string | null;
  html_url: string;
  state: string;
  state_reason?: string | null;
  closed_at?: string | null;
  labels: (string | { name?: string })[];
  user: { login: string; type: string } | null;
  created_at: string;
  updated_at: string;
  pull_request?: unknown;
};

type RawComment = { id: number; body?: string; html_url: string; user: { login: string } | null };
type IssueOperations = Pick<
  OrgCodehost,
  'issue' | 'issues' | 'createIssue' | 'ensureComment' | 'addLabels' | 'removeLabel'
>;

/** `login` is what our own application writes as. */
export function issueOperations(client: Client, login: string): IssueOperations {
  return {
    async issue(repo, number) {
      const call = client.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
        ...split(repo),
        issue_number: number,
      });
      return toIssue((await translating(`issue ${repo}#${number}`, call)).data as RawIssue);
    },
    async issues(repo, query) {
      const call = client.paginate('GET /repos/{owner}/{repo}/issues', { ...split(repo), ...query, per_page: 100 });
      const all = (await translating(`the issues of ${repo}`, call)) as RawIssue[];
      return all.filter((issue) => issue.pull_request === undefined).map(toIssue);
    },
    async createIssue(repo, { title, body, labels }) {
      const call = client.request('POST /repos/{owner}/{repo}/issues', { ...split(repo), title, body, labels });
      return toIssue((await translating(`a new issue in ${repo}`, call)).data as RawIssue);
    },
    async ensureComment(repo, { number, marker, body, since }) {
      const what = `a comment on ${repo}#${number}`;
      const all = client.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...split(repo),
        issue_number: number,
        since,
        per_page: 100,
      });
      const ours = ((await translating(what, all)) as RawComment[]).find(
        (comment) => comment.user?.login === login && comment.body?.includes(marker),
      );
      if (ours?.body === body) return { url: ours.html_url };
      const { data } = ours
        ? await translating(
            what,
            client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
              ...split(repo),
              comment_id: ours.id,
              body,
            }),
          )
        : await translating(
            what,
            client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              ...split(repo),
              issue_number: number,
              body,
              // Before a second attempt it has to be looked up again.
              request: { retries: 0 },
            }),
          );
      return { url: data.html_url };
    },
    async addLabels(repo, number, labels) {
      const call = client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        ...split(repo),
        issue_number: number,
        labels,
      });
      await translating(`labels of ${repo}#${number}`, call);
    },
    async removeLabel(repo, number, label) {
      const call = client.request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
        ...split(repo),
        issue_number: number,
        name: label,
      });
      await translating(`the label "${label}" of ${repo}#${number}`, found(call));
    },
  };
}

function toIssue(raw: RawIssue): Issue {
  return {
    number: raw.number,
    title: raw.title,
    body: raw.body ?? '',
    url: raw.html_url,
    state: raw.state === 'closed' ? 'closed' : 'open',
    ...(raw.state === 'closed' && { closedAs: raw.state_reason === 'not_planned' ? 'not-planned' : 'completed' }),
    ...(raw.closed_at && { closedAt: raw.closed_at }),
    labels: raw.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    author: raw.user?.login ?? 'ghost',
    authorIsBot: raw.user?.type === 'Bot',
    isPullRequest: raw.pull_request !== undefined,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}
