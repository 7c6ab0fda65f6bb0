import { HttpError, unprocessable } from './http-error.ts';
import type { Host } from './host.ts';
import { closeIssue, editIssueText, reopenIssue } from './issue-state.ts';
import { computePullStats } from './compute-pull-stats.ts';
import { assertNoDuplicatePull } from './open-pull.ts';
import { emitPullEvent } from './emit-pull-event.ts';
import type { PullRequest } from './pulls.ts';
import { findBranchSha } from './repositories.ts';
import { savePullHead } from './save-pull-head.ts';
import type { Account, Repository } from './tables.ts';

type PullPatch = {
  title?: string | undefined;
  body?: string | null | undefined;
  state?: 'open' | 'closed' | undefined;
  base?: string | undefined;
};

type PullUpdate = { request: PullRequest; patch: PullPatch; sender: Account };

/** The caller must hold the repository's lock. */
export async function updatePull(host: Host, repository: Repository, change: PullUpdate): Promise<void> {
  const { request, patch, sender } = change;
  const { pull, issue } = request;
  const rebased = patch.base !== undefined && patch.base !== pull.baseRef;
  const reopened = patch.state === 'open' && issue.state === 'closed';
  const stats = rebased || reopened ? await recomputeStats(host, repository, { ...change, reopened }) : {};

  host.database.transaction(() => {
    host.database.update('pulls', pull.id, stats);
    const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
    if (rebased) emitPullEvent(host, repository, { pullId: pull.id, action: 'edited', sender, extra: { changes } });
    editIssueText(host, repository, { issue, title: patch.title, body: patch.body, sender });
    if (patch.state === 'closed') closeIssue(host, repository, { issue, sender, reason: null });
    if (reopened) reopenIssue(host, repository, { issue, sender });
  });
}

/** A new base changes the statistics, and so may reopening, because the branch can have moved in the meantime. */
async function recomputeStats(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, patch, reopened }: PullUpdate & { reopened: boolean },
) {
  const baseRef = patch.base ?? pull.baseRef;
  const branch = findBranchSha(host, repository.id, pull.headRef);
  if (findBranchSha(host, repository.id, baseRef) === undefined) {
    throw unprocessable({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  }
  if (reopened && (pull.mergedAt !== null || branch === undefined)) {
    const message = 'state cannot be changed.';
    throw new HttpError(422, 'Validation Failed', [
      { resource: 'PullRequest', code: 'invalid', field: 'state', message },
    ]);
  }
  assertNoDuplicatePull(host, repository, { headRef: pull.headRef, base: baseRef, exceptPullId: pull.id });
  const headSha = reopened && branch !== undefined ? branch : pull.headSha;
  await savePullHead(host, repository, { number: issue.number, headSha });
  return computePullStats(host, repository, { headSha, baseRef });
}
