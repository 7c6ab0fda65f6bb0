import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { isServiceError } from '../../src/errors.ts';
import { formatReviews } from '../../src/rules/changes/format-reviews.ts';
import { commentMarker, toIssueComment } from '../../src/rules/changes/issue-comment.ts';
import { findLastVerdict } from '../agents/transcript.ts';
import type { RunContext } from './run-context.ts';

/** The search for an earlier comment starts a day before the run, because the clock of the code host may be wrong. */
const searchedMs = 24 * 60 * 60_000;

/** Posts the verdicts of the reviewers on the run's pull request, where the person who approves it reads the diff. */
export async function postReviews(
  blobs: Blobs,
  { run, host, repo }: Pick<RunContext, 'run' | 'repo'> & { host: Pick<OrgCodehost, 'upsertComment'> },
  { number, headSha }: { number: number; headSha: string },
): Promise<void> {
  const { name, uid, creationTimestamp } = run.metadata;
  const reviewers = run.spec.steps.filter((step) => step.type === 'agent' && step.reviews !== undefined);
  const reviews = await Promise.all(
    reviewers.map(async ({ name: step }) => ({
      step,
      verdict: await findLastVerdict(blobs, uid, step),
      headSha: findReviewedHead(run, step) ?? headSha,
    })),
  );
  const text = formatReviews(reviews);
  if (text === undefined) return;
  const origin = { run: name, step: 'reviews' };
  const since = new Date(Date.parse(creationTimestamp) - searchedMs).toISOString();
  try {
    await host.upsertComment(repo, {
      number,
      marker: commentMarker(origin),
      body: toIssueComment(text, origin),
      since,
    });
  } catch (error) {
    // The run shows the verdicts too, so an application without the permission to comment does not block the approval.
    if (!isServiceError(error, 'forbidden')) throw error;
  }
}

/** Commits that were added after a review, such as those of a conflict, are not a part of it. */
const findReviewedHead = ({ status }: RunContext['run'], step: string): string | undefined =>
  status?.steps.find(({ name }) => name === step)?.rounds?.findLast(({ outcome }) => outcome !== undefined)?.headSha;
