import type { Host } from '../host.ts';
import type { Issue, Pull, Repository, Review } from '../tables.ts';
import { type MergeRequirements, readRequirements } from './branch-rules.ts';
import { judgeCheck, listChecks } from './checks.ts';

type PullRequest = { pull: Pull; issue: Issue };

/** GitHub's `mergeable_state`, in the order in which one hides the other. */
type MergeState = 'unknown' | 'dirty' | 'draft' | 'blocked' | 'behind' | 'unstable' | 'has_hooks' | 'clean';

export function judgeMergeState(
  host: Host,
  repository: Repository,
  { request, mergeable }: { request: PullRequest; mergeable: boolean | null },
): MergeState {
  if (mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  if (request.pull.draft === 1) return 'draft';
  if (findMergeViolation(host, repository, request) !== undefined) return 'blocked';
  if (request.pull.behind === 1 && readPullRequirements(host, request).strict) return 'behind';
  const checks = listChecks(host, repository.id, request.pull.headSha);
  if (checks.some((check) => judgeCheck(check) !== 'passed')) return 'unstable';
  return repository.preReceiveHooks === 1 ? 'has_hooks' : 'clean';
}

export const readPullRequirements = (host: Host, { pull, issue }: PullRequest): MergeRequirements =>
  readRequirements(host, { repositoryId: issue.repositoryId, name: pull.baseRef });

/** Returns the message with which GitHub refuses the merge, apart from a branch that is out of date. */
export function findMergeViolation(host: Host, repository: Repository, request: PullRequest): string | undefined {
  const decision = judgeReviews(host, request);
  const { requiredReviews } = readPullRequirements(host, request);
  if (decision === 'CHANGES_REQUESTED') return 'Changes were requested by a reviewer with write access.';
  if (decision === 'REVIEW_REQUIRED')
    return `At least ${requiredReviews} approving review${requiredReviews === 1 ? ' is' : 's are'} required by reviewers with write access.`;
  return findCheckViolation(host, repository, request);
}

function findCheckViolation(host: Host, repository: Repository, request: PullRequest): string | undefined {
  const checks = listChecks(host, repository.id, request.pull.headSha);
  const { requiredChecks } = readPullRequirements(host, request);
  const missing = requiredChecks.flatMap((name) => {
    const named = checks.filter((check) => check.name === name).map(judgeCheck);
    if (named.length === 0) return [{ name, state: 'expected' }];
    if (named.every((verdict) => verdict === 'passed')) return [];
    return [{ name, state: named.includes('failed') ? 'failing' : 'pending' }];
  });
  const [first, ...others] = missing;
  if (first === undefined) return undefined;
  if (others.length === 0) return `Required status check "${first.name}" is ${first.state}.`;
  return `${missing.length} of ${requiredChecks.length} required status checks have not succeeded.`;
}

/** GitHub's `reviewDecision`: null when the base branch requires no review. */
export function judgeReviews(
  host: Host,
  request: PullRequest,
): 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null {
  const { requiredReviews, dismissStale } = readPullRequirements(host, request);
  if (requiredReviews === 0) return null;
  const latest = listLatestReviews(host, request);
  if (latest.some(({ state }) => state === 'CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  const approvals = latest.filter(
    ({ state, commitSha }) => state === 'APPROVED' && (!dismissStale || commitSha === request.pull.headSha),
  );
  return approvals.length >= requiredReviews ? 'APPROVED' : 'REVIEW_REQUIRED';
}

/** A comment does not replace an earlier approval of the same person. */
function listLatestReviews({ database }: Host, { pull }: PullRequest): Review[] {
  const reviews = database.all<Review>(
    "SELECT * FROM reviews WHERE pullId = ? AND state != 'COMMENTED' ORDER BY id",
    pull.id,
  );
  return [...new Map(reviews.map((review) => [review.authorId, review])).values()];
}
