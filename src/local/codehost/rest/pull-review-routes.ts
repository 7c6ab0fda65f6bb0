import { z } from 'zod';
import { accountById, accountShape } from '../accounts.ts';
import { Failure, notFound, unprocessable } from '../failure.ts';
import type { Host } from '../host.ts';
import { associationOf } from '../issues.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { PullRequest } from '../pulls.ts';
import type { Repository, Review } from '../rows.ts';
import { hostTime } from '../times.ts';
import { pullInPath } from './pull-routes.ts';
import { paginate, reach, readBody, sender } from './requests.ts';
import type { Rest } from './requests.ts';

const ReviewBody = z.object({
  body: z.string().default(''),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  commit_id: z.string().optional(),
  // Comments on lines are not kept here, and what is not kept is not taken.
  comments: z.array(z.never()).optional(),
});
const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
const path = '/v3/repos/:owner/:repo/pulls/:pull_number/reviews';

export function pullReviewRoutes(rest: Rest, host: Host): void {
  rest.get(path, (c) => {
    const repository = reach(host, c, { permission: 'pull_requests', level: 'read' });
    const request = pullInPath(host, c, repository);
    const reviews = host.database.all<Review>('SELECT * FROM reviews WHERE pullId = ? ORDER BY id', request.pull.id);
    return c.json(paginate(host, c, reviews).map((review) => reviewShape(host, repository, { request, review })));
  });

  rest.post(path, async (c) => {
    const repository = reach(host, c, { permission: 'pull_requests', level: 'write' });
    const request = pullInPath(host, c, repository);
    const {
      body,
      event,
      commit_id: commitSha = request.pull.headSha,
    } = await readBody(c, ReviewBody, 'PullRequestReview');
    const by = sender(c);
    if (event !== 'COMMENT' && by.id === request.issue.authorId) {
      throw new Failure(
        422,
        event === 'APPROVE'
          ? 'Can not approve your own pull request'
          : 'Can not request changes on your own pull request',
      );
    }
    if (event !== 'APPROVE' && body === '')
      throw unprocessable({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
    const row = {
      pullId: request.pull.id,
      authorId: by.id,
      body,
      state: states[event],
      commitSha,
      submittedAt: hostTime(),
    };
    const review = host.database.one<Review>(
      'SELECT * FROM reviews WHERE id = ?',
      host.database.insert('reviews', row),
    );
    if (review === undefined) throw notFound();
    return c.json(reviewShape(host, repository, { request, review }));
  });
}

function reviewShape(
  host: Host,
  repository: Repository,
  { request: { issue }, review }: { request: PullRequest; review: Review },
) {
  const author = accountById(host, review.authorId);
  const html = `${repositoryUrl(host, repository)}/pull/${issue.number}#pullrequestreview-${review.id}`;
  const pull = `${repositoryApiUrl(host, repository)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: Buffer.from(`review:${review.id}`).toString('base64url'),
    user: accountShape(host, author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(accountById(host, repository.ownerId), repository, author),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: review.submittedAt,
    commit_id: review.commitSha,
  };
}
