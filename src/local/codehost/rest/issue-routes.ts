import { z } from 'zod';
import type { Access } from '../callers.ts';
import { accountById } from '../accounts.ts';
import { Failure, notFound, unprocessable } from '../failure.ts';
import type { Host } from '../host.ts';
import { announceIssue, closeIssue, editWords, reopenIssue } from '../issue-state.ts';
import { findIssue, issueById, issueShape, labelShape, labelsOf, nextNumber, pullOfIssue } from '../issues.ts';
import { attachLabels, replaceLabels } from '../labels.ts';
import type { Account, Issue, Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { numberPart, paginate, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

/** Labels come as names or as objects with one. */
export const LabelNames = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]));
const title = z.union([z.string().min(1), z.number()]).transform(String);
const IssueBody = z.object({ title, body: z.string().nullish(), labels: LabelNames.default([]) });
const IssuePatch = z.object({
  title: title.optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'reopened', 'duplicate']).nullish(),
  labels: LabelNames.optional(),
});

export const issueAccess = (level: Access['level']): Access => ({ permission: 'issues', level });

/** The issue in the path; pull requests are issues too. */
function issueInPath(host: Host, c: RestContext, repository: Repository): Issue {
  const issue = findIssue(host, repository.id, numberPart(c, 'issue_number'));
  if (issue === undefined) throw notFound();
  return issue;
}

/** As the real host has it, a pull request's issue side also opens to who may write pull requests. */
export function reachIssue(
  host: Host,
  c: RestContext,
  level: Access['level'],
): { repository: Repository; issue: Issue } {
  const caller = c.get('caller');
  const viaPulls = caller.kind === 'installation' && caller.permissions['issues'] === undefined;
  const repository = reach(host, c, viaPulls ? { permission: 'pull_requests', level } : issueAccess(level));
  const issue = issueInPath(host, c, repository);
  if (viaPulls && level === 'write' && pullOfIssue(host, issue.id) === undefined)
    throw new Failure(403, 'Resource not accessible by integration');
  return { repository, issue };
}

export function issueRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/issues', (c) => listIssues(host, c));
  rest.get('/v3/repos/:owner/:repo/issues/:issue_number', (c) => {
    const { repository, issue } = reachIssue(host, c, 'read');
    return c.json(issueShape(host, repository, issue));
  });

  rest.post('/v3/repos/:owner/:repo/issues', async (c) => {
    const repository = reach(host, c, issueAccess('write'));
    const body = await readBody(c, IssueBody, 'Issue');
    const issue = openIssue(host, repository, { ...body, author: sender(c) });
    c.header('Location', `${host.apiUrl}/repos/${repository.owner}/${repository.name}/issues/${issue.number}`);
    return c.json(issueShape(host, repository, issue), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/issues/:issue_number', async (c) => {
    const { repository, issue } = reachIssue(host, c, 'write');
    const patch = await readBody(c, IssuePatch, 'Issue');
    // Reopening a pull request looks at its branches: that is for the other route.
    if (patch.state === 'open' && issue.state === 'closed' && pullOfIssue(host, issue.id) !== undefined) {
      throw unprocessable({ resource: 'Issue', field: 'state', code: 'invalid' });
    }
    host.database.transaction(() => changeIssue(host, repository, { issue, patch, by: sender(c) }));
    return c.json(issueShape(host, repository, issueById(host, issue.id)));
  });
}

type NewIssue = { title: string; body?: string | null | undefined; labels: string[]; author: Account };

/** Tells of the new issue, and then of each of its labels, as the real host does. */
function openIssue(host: Host, repository: Repository, { title: text, body = null, labels, author }: NewIssue): Issue {
  return host.database.transaction(() => {
    const now = hostTime();
    const row = {
      repositoryId: repository.id,
      number: nextNumber(host, repository.id),
      title: text,
      body,
      state: 'open',
      authorId: author.id,
    };
    const id = host.database.insert('issues', { ...row, createdAt: now, updatedAt: now });
    const attached = attachLabels(host, repository, { issueId: id, names: labels });
    announceIssue(host, repository, { issueId: id, action: 'opened', sender: author });
    for (const label of attached)
      announceIssue(host, repository, {
        issueId: id,
        action: 'labeled',
        sender: author,
        extra: { label: labelShape(host, repository, label) },
      });
    return issueById(host, id);
  });
}

type Change = { issue: Issue; patch: z.infer<typeof IssuePatch>; by: Account };

function changeIssue(host: Host, repository: Repository, { issue, patch, by }: Change): void {
  editWords(host, repository, { issue, title: patch.title, body: patch.body, sender: by });
  if (patch.labels !== undefined)
    replaceLabels(host, repository, { issueId: issue.id, names: patch.labels, sender: by });
  const isPull = pullOfIssue(host, issue.id) !== undefined;
  if (patch.state === 'closed')
    closeIssue(host, repository, { issue, sender: by, reason: isPull ? null : (patch.state_reason ?? 'completed') });
  if (patch.state === 'open') reopenIssue(host, repository, { issue, sender: by });
}

const sortKeys: Record<string, (issue: Issue, comments: (id: number) => number) => number> = {
  created: (issue) => issue.number,
  updated: (issue) => Date.parse(issue.updatedAt),
  comments: (issue, comments) => comments(issue.id),
};

function listIssues(host: Host, c: RestContext): Response {
  const repository = reach(host, c, issueAccess('read'));
  const { state = 'open', labels = '', since, sort = 'created', direction = 'desc', creator } = c.req.query();
  const wanted = labels
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const matches = (issue: Issue): boolean =>
    (state === 'all' || issue.state === state) &&
    (since === undefined || Date.parse(issue.updatedAt) >= Date.parse(since)) &&
    (creator === undefined || accountById(host, issue.authorId).login.toLowerCase() === creator.toLowerCase()) &&
    wanted.every((name) => labelsOf(host, issue.id).some((label) => label.name.toLowerCase() === name));
  const comments = (id: number): number =>
    host.database.one<{ count: number }>('SELECT count(*) AS count FROM comments WHERE issueId = ?', id)?.count ?? 0;
  const key = sortKeys[sort] ?? sortKeys['created'];
  const sign = direction === 'asc' ? 1 : -1;
  const issues = host.database
    .all<Issue>('SELECT * FROM issues WHERE repositoryId = ?', repository.id)
    .filter(matches)
    .map((issue) => ({ issue, at: key?.(issue, comments) ?? 0 }))
    .sort((one, other) => sign * (one.at - other.at || one.issue.number - other.issue.number));
  return c.json(paginate(host, c, issues).map(({ issue }) => issueShape(host, repository, issue)));
}
