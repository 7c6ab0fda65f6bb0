import { z } from 'zod';
import { getAccount, toAccountJson } from '../accounts.ts';
import { HttpError, notFound, unprocessable } from '../http-error.ts';
import type { Host } from '../host.ts';
import { toAuthorAssociation } from '../issues.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { PullRequest } from '../pulls.ts';
import type { Repository, Review } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { getRequestedPull } from './pull-routes.ts';
import { paginate, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi } from './requests.ts';

const ReviewBody = z.object({
  body: z.string().default(''),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  commit_id: z.string().optional(),
  // Line comments are not supported, so they are rejected instead of dropped.
  comments: z.array(z.never()).optional(),
});
const reviewStates = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
const reviewsPath = '/v3/repos/:owner/:repo/pulls/:pull_number/reviews';

export function pullReviewRoutes(rest: RestApi, host: Host): void {
  rest.get(reviewsPath, (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'pull_requests', level: 'read' });
    const request = getRequestedPull(host, c, repository);
    const reviews = host.database.all<Review>('SELECT * FROM reviews WHERE pullId = ? ORDER BY id', request.pull.id);
    return c.json(paginate(host, c, reviews).map((review) => toReviewJson(host, repository, { request, review })));
  });

  rest.post(reviewsPath, async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'pull_requests', level: 'write' });
    const request = getRequestedPull(host, c, repository);
    const {
      body,
      event,
      commit_id: commitSha = request.pull.headSha,
    } = await readBody(c, ReviewBody, 'PullRequestReview');
    const sender = getSender(c);
    if (event !== 'COMMENT' && sender.id === request.issue.authorId) {
      throw new HttpError(
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
      authorId: sender.id,
      body,
      state: reviewStates[event],
      commitSha,
      submittedAt: formatTimestamp(),
    };
    const review = host.database.get<Review>(
      'SELECT * FROM reviews WHERE id = ?',
      host.database.insert('reviews', row),
    );
    if (review === undefined) throw notFound();
    return c.json(toReviewJson(host, repository, { request, review }));
  });
}

function toReviewJson(
  host: Host,
  repository: Repository,
  { request: { issue }, review }: { request: PullRequest; review: Review },
) {
  const author = getAccount(host, review.authorId);
  const html = `${repositoryUrl(host, repository)}/pull/${issue.number}#pullrequestreview-${review.id}`;
  const pull = `${repositoryApiUrl(host, repository)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: Buffer.from(`review:${review.id}`).toString('base64url'),
    user: toAccountJson(host, author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: toAuthorAssociation(getAccount(host, repository.ownerId), repository, author),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: review.submittedAt,
    commit_id: review.commitSha,
  };
}
