import { z } from 'zod';
import { notFound } from '../failure.ts';
import type { Host } from '../host.ts';
import { commentShape, issueById, issueShape } from '../issues.ts';
import type { Account, Comment, Issue, Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { announce } from '../webhooks.ts';
import { issueAccess, reachIssue } from './issue-routes.ts';
import { numberPart, paginate, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const CommentBody = z.object({ body: z.string().min(1) });
const ofIssue = '/v3/repos/:owner/:repo/issues/:issue_number/comments';
const one = '/v3/repos/:owner/:repo/issues/comments/:comment_id';

export function issueCommentRoutes(rest: Rest, host: Host): void {
  rest.get(ofIssue, (c) => {
    const { repository, issue } = reachIssue(host, c, 'read');
    const since = c.req.query('since');
    const comments = host.database
      .all<Comment>('SELECT * FROM comments WHERE issueId = ? ORDER BY id', issue.id)
      .filter(({ updatedAt }) => since === undefined || Date.parse(updatedAt) >= Date.parse(since));
    return c.json(paginate(host, c, comments).map((comment) => commentShape(host, repository, { comment, issue })));
  });

  rest.post(ofIssue, async (c) => {
    const { repository, issue } = reachIssue(host, c, 'write');
    const { body } = await readBody(c, CommentBody, 'IssueComment');
    const by = sender(c);
    const comment = host.database.transaction(() => {
      const now = hostTime();
      const id = host.database.insert('comments', {
        issueId: issue.id,
        authorId: by.id,
        body,
        createdAt: now,
        updatedAt: now,
      });
      host.database.update('issues', issue.id, { updatedAt: now });
      const added = commentById(host, id);
      tell(host, repository, { action: 'created', comment: added, issue, by });
      return added;
    });
    return c.json(commentShape(host, repository, { comment, issue }), 201);
  });

  rest.get(one, (c) => {
    const repository = reach(host, c, issueAccess('read'));
    return c.json(commentShape(host, repository, inPath(host, c, repository)));
  });

  rest.patch(one, async (c) => {
    const repository = reach(host, c, issueAccess('write'));
    const { comment, issue } = inPath(host, c, repository);
    const { body } = await readBody(c, CommentBody, 'IssueComment');
    const changed = host.database.transaction(() => {
      host.database.update('comments', comment.id, { body, updatedAt: hostTime() });
      const after = commentById(host, comment.id);
      tell(host, repository, {
        action: 'edited',
        comment: after,
        issue,
        by: sender(c),
        extra: { changes: { body: { from: comment.body } } },
      });
      return after;
    });
    return c.json(commentShape(host, repository, { comment: changed, issue }));
  });

  rest.delete(one, (c) => {
    const repository = reach(host, c, issueAccess('write'));
    const { comment, issue } = inPath(host, c, repository);
    host.database.transaction(() => {
      host.database.run('DELETE FROM comments WHERE id = ?', comment.id);
      tell(host, repository, { action: 'deleted', comment, issue, by: sender(c) });
    });
    return c.body(null, 204);
  });
}

function commentById({ database }: Host, id: number): Comment {
  const comment = database.one<Comment>('SELECT * FROM comments WHERE id = ?', id);
  if (comment === undefined) throw notFound();
  return comment;
}

function inPath(host: Host, c: RestContext, repository: Repository): { comment: Comment; issue: Issue } {
  const comment = commentById(host, numberPart(c, 'comment_id'));
  const issue = issueById(host, comment.issueId);
  if (issue.repositoryId !== repository.id) throw notFound();
  return { comment, issue };
}

type Told = { action: string; comment: Comment; issue: Issue; by: Account; extra?: Record<string, unknown> };

function tell(host: Host, repository: Repository, { action, comment, issue, by, extra }: Told): void {
  const payload = {
    issue: issueShape(host, repository, issueById(host, issue.id)),
    comment: commentShape(host, repository, { comment, issue }),
    ...extra,
  };
  announce(host, { event: 'issue_comment', action, repository, sender: by, payload });
}
