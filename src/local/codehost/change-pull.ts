import { Failure, unprocessable } from './failure.ts';
import type { Host } from './host.ts';
import { closeIssue, editWords, reopenIssue } from './issue-state.ts';
import { keepHead, measurePull } from './measure-pull.ts';
import { mustBeFree } from './open-pull.ts';
import { announcePull } from './pull-events.ts';
import type { PullRequest } from './pulls.ts';
import { branchSha } from './repositories.ts';
import type { Account, Repository } from './rows.ts';

type PullPatch = {
  title?: string | undefined;
  body?: string | null | undefined;
  state?: 'open' | 'closed' | undefined;
  base?: string | undefined;
};

type Change = { request: PullRequest; patch: PullPatch; sender: Account };

/** To be called while no one else works on the repository. */
export async function changePull(host: Host, repository: Repository, change: Change): Promise<void> {
  const { request, patch, sender } = change;
  const { pull, issue } = request;
  const rebased = patch.base !== undefined && patch.base !== pull.baseRef;
  const reopened = patch.state === 'open' && issue.state === 'closed';
  const measured = rebased || reopened ? await measureAgain(host, repository, { ...change, reopened }) : {};

  host.database.transaction(() => {
    host.database.update('pulls', pull.id, measured);
    const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
    if (rebased) announcePull(host, repository, { pullId: pull.id, action: 'edited', sender, extra: { changes } });
    editWords(host, repository, { issue, title: patch.title, body: patch.body, sender });
    if (patch.state === 'closed') closeIssue(host, repository, { issue, sender, reason: null });
    if (reopened) reopenIssue(host, repository, { issue, sender });
  });
}

/** Another base makes another pull request of it, and so does reopening, since its branch may have moved on. */
async function measureAgain(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, patch, reopened }: Change & { reopened: boolean },
) {
  const baseRef = patch.base ?? pull.baseRef;
  const branch = branchSha(host, repository.id, pull.headRef);
  if (branchSha(host, repository.id, baseRef) === undefined) {
    throw unprocessable({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  }
  if (reopened && (pull.mergedAt !== null || branch === undefined)) {
    const message = 'state cannot be changed.';
    throw new Failure(422, 'Validation Failed', [
      { resource: 'PullRequest', code: 'invalid', field: 'state', message },
    ]);
  }
  mustBeFree(host, repository, { headRef: pull.headRef, base: baseRef, but: pull.id });
  const headSha = reopened && branch !== undefined ? branch : pull.headSha;
  await keepHead(host, repository, { number: issue.number, headSha });
  return measurePull(host, repository, { headSha, baseRef });
}
