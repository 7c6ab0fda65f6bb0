import { z } from 'zod';
import type { Access } from '../auth.ts';
import { getAccount } from '../accounts.ts';
import { HttpError, notFound, unprocessable } from '../http-error.ts';
import type { Host } from '../host.ts';
import { emitIssueEvent, closeIssue, editIssueText, reopenIssue } from '../issue-state.ts';
import {
  findIssue,
  getIssue,
  toIssueJson,
  toLabelJson,
  listIssueLabels,
  nextIssueNumber,
  findPullByIssue,
} from '../issues.ts';
import { attachLabels, replaceLabels } from '../labels.ts';
import type { Account, Issue, Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { getNumberParam, paginate, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

/** GitHub accepts labels as names or as objects with a name. */
export const LabelNames = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]));
const titleSchema = z.union([z.string().min(1), z.number()]).transform(String);
const IssueBody = z.object({ title: titleSchema, body: z.string().nullish(), labels: LabelNames.default([]) });
const IssuePatch = z.object({
  title: titleSchema.optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'reopened', 'duplicate']).nullish(),
  labels: LabelNames.optional(),
});

export const issueAccess = (level: Access['level']): Access => ({ permission: 'issues', level });

/** Pull requests are issues too. */
function getRequestedIssue(host: Host, c: RestContext, repository: Repository): Issue {
  const issue = findIssue(host, repository.id, getNumberParam(c, 'issue_number'));
  if (issue === undefined) throw notFound();
  return issue;
}

/** The permission for pull requests also covers the issue of a pull request, as on GitHub. */
export function getAccessibleIssue(
  host: Host,
  c: RestContext,
  level: Access['level'],
): { repository: Repository; issue: Issue } {
  const caller = c.get('caller');
  const viaPulls = caller.kind === 'installation' && caller.permissions['issues'] === undefined;
  const repository = getAccessibleRepository(
    host,
    c,
    viaPulls ? { permission: 'pull_requests', level } : issueAccess(level),
  );
  const issue = getRequestedIssue(host, c, repository);
  if (viaPulls && level === 'write' && findPullByIssue(host, issue.id) === undefined)
    throw new HttpError(403, 'Resource not accessible by integration');
  return { repository, issue };
}

export function issueRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/issues', (c) => listIssues(host, c));
  rest.get('/v3/repos/:owner/:repo/issues/:issue_number', (c) => {
    const { repository, issue } = getAccessibleIssue(host, c, 'read');
    return c.json(toIssueJson(host, repository, issue));
  });

  rest.post('/v3/repos/:owner/:repo/issues', async (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('write'));
    const body = await readBody(c, IssueBody, 'Issue');
    const issue = openIssue(host, repository, { ...body, author: getSender(c) });
    c.header('Location', `${host.apiUrl}/repos/${repository.owner}/${repository.name}/issues/${issue.number}`);
    return c.json(toIssueJson(host, repository, issue), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/issues/:issue_number', async (c) => {
    const { repository, issue } = getAccessibleIssue(host, c, 'write');
    const patch = await readBody(c, IssuePatch, 'Issue');
    // Reopening a pull request depends on its branches, so only the pull request route allows it.
    if (patch.state === 'open' && issue.state === 'closed' && findPullByIssue(host, issue.id) !== undefined) {
      throw unprocessable({ resource: 'Issue', field: 'state', code: 'invalid' });
    }
    host.database.transaction(() => updateIssue(host, repository, { issue, patch, sender: getSender(c) }));
    return c.json(toIssueJson(host, repository, getIssue(host, issue.id)));
  });
}

type NewIssue = { title: string; body?: string | null | undefined; labels: string[]; author: Account };

/** Emits `opened`, and then one `labeled` event per label, as GitHub does. */
function openIssue(host: Host, repository: Repository, { title, body = null, labels, author }: NewIssue): Issue {
  return host.database.transaction(() => {
    const now = formatTimestamp();
    const row = {
      repositoryId: repository.id,
      number: nextIssueNumber(host, repository.id),
      title,
      body,
      state: 'open',
      authorId: author.id,
    };
    const id = host.database.insert('issues', { ...row, createdAt: now, updatedAt: now });
    const attached = attachLabels(host, repository, { issueId: id, names: labels });
    emitIssueEvent(host, repository, { issueId: id, action: 'opened', sender: author });
    for (const label of attached)
      emitIssueEvent(host, repository, {
        issueId: id,
        action: 'labeled',
        sender: author,
        extra: { label: toLabelJson(host, repository, label) },
      });
    return getIssue(host, id);
  });
}

type IssueUpdate = { issue: Issue; patch: z.infer<typeof IssuePatch>; sender: Account };

function updateIssue(host: Host, repository: Repository, { issue, patch, sender }: IssueUpdate): void {
  editIssueText(host, repository, { issue, title: patch.title, body: patch.body, sender });
  if (patch.labels !== undefined) replaceLabels(host, repository, { issueId: issue.id, names: patch.labels, sender });
  const isPull = findPullByIssue(host, issue.id) !== undefined;
  if (patch.state === 'closed')
    closeIssue(host, repository, { issue, sender, reason: isPull ? null : (patch.state_reason ?? 'completed') });
  if (patch.state === 'open') reopenIssue(host, repository, { issue, sender });
}

const sortKeys: Record<string, (issue: Issue, comments: (id: number) => number) => number> = {
  created: (issue) => issue.number,
  updated: (issue) => Date.parse(issue.updatedAt),
  comments: (issue, comments) => comments(issue.id),
};

function listIssues(host: Host, c: RestContext): Response {
  const repository = getAccessibleRepository(host, c, issueAccess('read'));
  const { state = 'open', labels = '', since, sort = 'created', direction = 'desc', creator } = c.req.query();
  const wanted = labels
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const matches = (issue: Issue): boolean =>
    (state === 'all' || issue.state === state) &&
    (since === undefined || Date.parse(issue.updatedAt) >= Date.parse(since)) &&
    (creator === undefined || getAccount(host, issue.authorId).login.toLowerCase() === creator.toLowerCase()) &&
    wanted.every((name) => listIssueLabels(host, issue.id).some((label) => label.name.toLowerCase() === name));
  const comments = (id: number): number =>
    host.database.get<{ count: number }>('SELECT count(*) AS count FROM comments WHERE issueId = ?', id)?.count ?? 0;
  const key = sortKeys[sort] ?? sortKeys['created'];
  const sign = direction === 'asc' ? 1 : -1;
  const issues = host.database
    .all<Issue>('SELECT * FROM issues WHERE repositoryId = ?', repository.id)
    .filter(matches)
    .map((issue) => ({ issue, at: key?.(issue, comments) ?? 0 }))
    .sort((one, other) => sign * (one.at - other.at || one.issue.number - other.issue.number));
  return c.json(paginate(host, c, issues).map(({ issue }) => toIssueJson(host, repository, issue)));
}
