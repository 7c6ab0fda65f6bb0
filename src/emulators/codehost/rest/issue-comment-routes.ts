import { z } from 'zod';
import { notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { toCommentJson, getIssue, toIssueJson } from '../issues.ts';
import type { Account, Comment, Issue, Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { emitWebhook } from '../webhooks.ts';
import { issueAccess, getAccessibleIssue } from './issue-routes.ts';
import { getNumberParam, paginate, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const CommentBody = z.object({ body: z.string().min(1) });
const issueCommentsPath = '/v3/repos/:owner/:repo/issues/:issue_number/comments';
const commentPath = '/v3/repos/:owner/:repo/issues/comments/:comment_id';

export function issueCommentRoutes(rest: RestApi, host: Host): void {
  rest.get(issueCommentsPath, (c) => {
    const { repository, issue } = getAccessibleIssue(host, c, 'read');
    const since = c.req.query('since');
    const comments = host.database
      .all<Comment>('SELECT * FROM comments WHERE issueId = ? ORDER BY id', issue.id)
      .filter(({ updatedAt }) => since === undefined || Date.parse(updatedAt) >= Date.parse(since));
    return c.json(paginate(host, c, comments).map((comment) => toCommentJson(host, repository, { comment, issue })));
  });

  rest.post(issueCommentsPath, async (c) => {
    const { repository, issue } = getAccessibleIssue(host, c, 'write');
    const { body } = await readBody(c, CommentBody, 'IssueComment');
    const sender = getSender(c);
    const comment = host.database.transaction(() => {
      const now = formatTimestamp();
      const id = host.database.insert('comments', {
        issueId: issue.id,
        authorId: sender.id,
        body,
        createdAt: now,
        updatedAt: now,
      });
      host.database.update('issues', issue.id, { updatedAt: now });
      const added = getComment(host, id);
      emitCommentEvent(host, repository, { action: 'created', comment: added, issue, sender });
      return added;
    });
    return c.json(toCommentJson(host, repository, { comment, issue }), 201);
  });

  rest.get(commentPath, (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('read'));
    return c.json(toCommentJson(host, repository, getRequestedComment(host, c, repository)));
  });

  rest.patch(commentPath, async (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('write'));
    const { comment, issue } = getRequestedComment(host, c, repository);
    const { body } = await readBody(c, CommentBody, 'IssueComment');
    const changed = host.database.transaction(() => {
      host.database.update('comments', comment.id, { body, updatedAt: formatTimestamp() });
      const after = getComment(host, comment.id);
      emitCommentEvent(host, repository, {
        action: 'edited',
        comment: after,
        issue,
        sender: getSender(c),
        extra: { changes: { body: { from: comment.body } } },
      });
      return after;
    });
    return c.json(toCommentJson(host, repository, { comment: changed, issue }));
  });

  rest.delete(commentPath, (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('write'));
    const { comment, issue } = getRequestedComment(host, c, repository);
    host.database.transaction(() => {
      host.database.run('DELETE FROM comments WHERE id = ?', comment.id);
      emitCommentEvent(host, repository, { action: 'deleted', comment, issue, sender: getSender(c) });
    });
    return c.body(null, 204);
  });
}

function getComment({ database }: Host, id: number): Comment {
  const comment = database.get<Comment>('SELECT * FROM comments WHERE id = ?', id);
  if (comment === undefined) throw notFound();
  return comment;
}

function getRequestedComment(host: Host, c: RestContext, repository: Repository): { comment: Comment; issue: Issue } {
  const comment = getComment(host, getNumberParam(c, 'comment_id'));
  const issue = getIssue(host, comment.issueId);
  if (issue.repositoryId !== repository.id) throw notFound();
  return { comment, issue };
}

type CommentEvent = {
  action: string;
  comment: Comment;
  issue: Issue;
  sender: Account;
  extra?: Record<string, unknown>;
};

function emitCommentEvent(
  host: Host,
  repository: Repository,
  { action, comment, issue, sender, extra }: CommentEvent,
): void {
  const payload = {
    issue: toIssueJson(host, repository, getIssue(host, issue.id)),
    comment: toCommentJson(host, repository, { comment, issue }),
    ...extra,
  };
  emitWebhook(host, { event: 'issue_comment', action, repository, sender, payload });
}
