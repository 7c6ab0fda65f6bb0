import type { Issue, OrgCodehost } from './codehost.ts';
import { translating } from './octokit-errors.ts';
import { type Client, split } from './octokit-client.ts';

type RawIssue = {
  number: number;
  title: string;
  body?: string | null;
  html_url: string;
  state: string;
  labels: (string | { name?: string })[];
  user: { login: string; type: string } | null;
  created_at: string;
  updated_at: string;
  pull_request?: unknown;
};

export function issueOperations(client: Client): Pick<OrgCodehost, 'issue' | 'issues' | 'createIssue'> {
  return {
    async issue(repo, number) {
      const call = client.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
        ...split(repo),
        issue_number: number,
      });
      return toIssue((await translating(`issue ${repo}#${number}`, call)).data as RawIssue);
    },
    async issues(repo, { state }) {
      const call = client.paginate('GET /repos/{owner}/{repo}/issues', { ...split(repo), state, per_page: 100 });
      const all = (await translating(`the issues of ${repo}`, call)) as RawIssue[];
      return all.filter((issue) => issue.pull_request === undefined).map(toIssue);
    },
    async createIssue(repo, { title, body, labels }) {
      const call = client.request('POST /repos/{owner}/{repo}/issues', { ...split(repo), title, body, labels });
      return toIssue((await translating(`a new issue in ${repo}`, call)).data as RawIssue);
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
    labels: raw.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    author: raw.user?.login ?? 'ghost',
    authorIsBot: raw.user?.type === 'Bot',
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}
