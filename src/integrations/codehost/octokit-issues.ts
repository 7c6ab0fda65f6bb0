import type { Issue, OrgCodehost } from './codehost.ts';
import { orUndefined, mapErrors } from './octokit-errors.ts';
import { type Client, parseRepo } from './octokit-client.ts';

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
  'getIssue' | 'listIssues' | 'createIssue' | 'upsertComment' | 'addLabels' | 'removeLabel'
>;

/** The caller retries, after it looked for the object, because a lost response may have been a success. */
const createOnce = { retries: 0 };

/** `login` is the account that the org's application writes as. */
export function issueOperations(client: Client, login: string): IssueOperations {
  return {
    async getIssue(repo, number) {
      const call = client.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
        ...parseRepo(repo),
        issue_number: number,
      });
      return toIssue((await mapErrors(`issue ${repo}#${number}`, call)).data as RawIssue);
    },
    async listIssues(repo, query) {
      const call = client.paginate('GET /repos/{owner}/{repo}/issues', { ...parseRepo(repo), ...query, per_page: 100 });
      const all = (await mapErrors(`the issues of ${repo}`, call)) as RawIssue[];
      return all.filter((issue) => issue.pull_request === undefined).map(toIssue);
    },
    async createIssue(repo, { title, body, labels }) {
      const call = client.request('POST /repos/{owner}/{repo}/issues', {
        ...parseRepo(repo),
        title,
        body,
        labels,
        request: createOnce,
      });
      return toIssue((await mapErrors(`a new issue in ${repo}`, call)).data as RawIssue);
    },
    async upsertComment(repo, { number, marker, body, since }) {
      const what = `a comment on ${repo}#${number}`;
      const all = client.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...parseRepo(repo),
        issue_number: number,
        since,
        per_page: 100,
      });
      const own = ((await mapErrors(what, all)) as RawComment[]).find(
        (comment) => comment.user?.login === login && comment.body?.includes(marker),
      );
      if (own?.body === body) return { url: own.html_url };
      const { data } = own
        ? await mapErrors(
            what,
            client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
              ...parseRepo(repo),
              comment_id: own.id,
              body,
            }),
          )
        : await mapErrors(
            what,
            client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
              ...parseRepo(repo),
              issue_number: number,
              body,
              request: createOnce,
            }),
          );
      return { url: data.html_url };
    },
    async addLabels(repo, number, labels) {
      const call = client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        ...parseRepo(repo),
        issue_number: number,
        labels,
      });
      await mapErrors(`labels of ${repo}#${number}`, call);
    },
    async removeLabel(repo, number, label) {
      const call = client.request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
        ...parseRepo(repo),
        issue_number: number,
        name: label,
      });
      await mapErrors(`the label "${label}" of ${repo}#${number}`, orUndefined(call));
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
    ...(raw.state === 'closed' && { closeReason: raw.state_reason === 'not_planned' ? 'not-planned' : 'completed' }),
    ...(raw.closed_at && { closedAt: raw.closed_at }),
    labels: raw.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    author: raw.user?.login ?? 'ghost',
    authorIsBot: raw.user?.type === 'Bot',
    isPullRequest: raw.pull_request !== undefined,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}
