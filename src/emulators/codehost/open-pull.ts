import { unprocessable } from './http-error.ts';
import { listCommitsBetween } from './git/revisions.ts';
import type { Host } from './host.ts';
import { nextIssueNumber } from './issues.ts';
import { emitPullEvent } from './emit-pull-event.ts';
import { listOpenPulls, findPullById } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { computePullStats } from './compute-pull-stats.ts';
import { findBranchSha } from './repositories.ts';
import { savePullHead } from './save-pull-head.ts';
import type { Account, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

export type NewPull = {
  title: string;
  body: string | null;
  head: string;
  base: string;
  draft: boolean;
  author: Account;
};

/** The caller must hold the repository's lock. */
export async function openPull(
  host: Host,
  repository: Repository,
  { title, body, head, base, draft, author }: NewPull,
): Promise<PullRequest> {
  const headRef = toBranch(repository, head);
  const headSha = headRef === undefined ? undefined : findBranchSha(host, repository.id, headRef);
  const baseSha = findBranchSha(host, repository.id, base);
  if (headRef === undefined || headSha === undefined)
    throw unprocessable({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw unprocessable({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  assertNoDuplicatePull(host, repository, { headRef, base });
  const commits = await listCommitsBetween(host.git, host.directory(repository), { base: baseSha, head: headSha });
  if (commits.length === 0) throw invalidPull(`No commits between ${base} and ${headRef}`);

  const stats = await computePullStats(host, repository, { headSha, baseRef: base });
  const id = host.database.transaction(() => {
    const now = formatTimestamp();
    const number = nextIssueNumber(host, repository.id);
    const issueId = host.database.insert('issues', {
      repositoryId: repository.id,
      number,
      title,
      body,
      state: 'open',
      authorId: author.id,
      createdAt: now,
      updatedAt: now,
    });
    const pullId = host.database.insert('pulls', { issueId, headRef, draft: draft ? 1 : 0, ...stats });
    emitPullEvent(host, repository, { pullId, action: 'opened', sender: author });
    return pullId;
  });
  const opened = findPullById(host, id);
  if (opened === undefined) throw new Error(`no pull request ${id}`);
  await savePullHead(host, repository, { number: opened.issue.number, headSha });
  return opened;
}

const invalidPull = (message: string): Error => unprocessable({ resource: 'PullRequest', code: 'custom', message });

export function assertNoDuplicatePull(
  host: Host,
  repository: Repository,
  { headRef, base, exceptPullId }: { headRef: string; base: string; exceptPullId?: number },
): void {
  const same = listOpenPulls(host, repository.id).find(
    ({ pull }) => pull.id !== exceptPullId && pull.headRef === headRef && pull.baseRef === base,
  );
  if (same !== undefined) throw invalidPull(`A pull request already exists for ${repository.owner}:${headRef}.`);
}

/** Accepts `branch` or `owner:branch`; the emulator has no forks. */
function toBranch(repository: Repository, head: string): string | undefined {
  const [owner = '', branch] = head.split(':');
  if (branch === undefined) return head;
  return owner.toLowerCase() === repository.owner.toLowerCase() ? branch : undefined;
}
